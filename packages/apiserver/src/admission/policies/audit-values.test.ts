import { expect, test } from 'vitest';
import type { AdmissionAttributes } from '../admission.js';
import { AuditValues } from './audit-values.js';

test('the values of all bindings stand in one annotation, each once and with limited length', () => {
  const values = new AuditValues();
  for (const value of ['one', 'two', 'one']) values.add('k', value);
  values.add('long', 'é'.repeat(6_000));
  const annotations: [string, string][] = [];
  const attributes: Pick<AdmissionAttributes, 'annotate'> = {
    annotate: (key, value) => void annotations.push([key, value]),
  };
  values.publish('p', attributes as AdmissionAttributes);
  expect(annotations).toEqual([
    ['p/k', 'one, two'],
    ['p/long', 'é'.repeat(5_120)],
  ]);
});
