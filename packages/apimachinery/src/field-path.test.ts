import { expect, test } from 'vitest';
import { FieldPath } from './field-path.js';

test.each([
  [
    FieldPath.of('spec', 'containers').index(0).child('ports').index(1).child('hostPort'),
    'spec.containers[0].ports[1].hostPort',
  ],
  [FieldPath.of('metadata').child('labels').key('app'), 'metadata.labels[app]'],
  [FieldPath.of('spec').child('template', 'spec'), 'spec.template.spec'],
  [FieldPath.of(), ''],
  [FieldPath.of().child('spec'), 'spec'],
])('%s', (path, text) => {
  expect(String(path)).toBe(text);
});

test('a step does not change the path that it starts from', () => {
  const spec = FieldPath.of('spec');
  spec.child('a').index(1);
  expect(String(spec)).toBe('spec');
});
