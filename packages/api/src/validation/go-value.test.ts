import { expect, test } from 'vitest';
import { goValue } from './go-value.js';

test.each([
  [
    'core-v1/Taint',
    { key: 'a', effect: 'NoSchedule' },
    '{"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}',
  ],
  [
    'core-v1/ObjectReference',
    { kind: 'Pod', uid: 'u' },
    '{"Kind":"Pod","Namespace":"","Name":"","UID":"u","APIVersion":"","ResourceVersion":"","FieldPath":""}',
  ],
  [
    'core-v1/ServicePort',
    { port: 80 },
    '{"Name":"","Protocol":"","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
  ],
  [
    'core-v1/VolumeNodeAffinity',
    { required: { nodeSelectorTerms: [{ matchFields: [{ key: 'k', operator: 'In', values: ['v'] }] }] } },
    '{"Required":{"NodeSelectorTerms":[{"MatchExpressions":null,"MatchFields":[{"Key":"k","Operator":"In","Values":["v"]}]}]}}',
  ],
])('%s is printed with the names and zero values of upstream', (definition, value, want) => {
  expect(JSON.stringify(goValue(definition, value))).toBe(want);
});

test('types of meta/v1 print as they are in JSON', () => {
  const selector = { matchLabels: { a: 'b' } };
  expect(goValue('core-v1/PersistentVolumeClaimSpec', { selector })).toMatchObject({ Selector: selector });
});

test('an absent value is null', () => {
  expect(goValue('core-v1/Taint', undefined)).toBeNull();
});
