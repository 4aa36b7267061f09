import { describe, expect, test } from 'vitest';
import { type Changes, problemsOnStatusUpdate } from '../rules.fixture.js';

const policy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'p' },
  spec: {},
};
const lastTransitionTime = '2026-01-01T00:00:00Z';
const good = { type: 'Ready', status: 'True', reason: 'Because', message: '', lastTransitionTime };
const field = 'status.conditions[0]';

describe('conditions', () => {
  test.each<[string, readonly object[], string[]]>([
    ['tell what is, since when and why', [good], []],
    ['have a type that is a name', [{ ...good, type: 'a b' }], [`${field}.type: Invalid value: "a b": name part must`]],
    ['each once', [good, good], ['status.conditions[1].type: Duplicate value: "Ready"']],
    [
      'are true, false or unknown',
      [{ ...good, status: 'Yes' }],
      [`${field}.status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"`],
    ],
    [
      'are of a generation',
      [{ ...good, observedGeneration: -1 }],
      [`${field}.observedGeneration: Invalid value: -1: must be greater than or equal to zero`],
    ],
    [
      'leave out neither time nor reason',
      [{ type: 'Ready', status: 'True' }],
      [`${field}.lastTransitionTime: Required value: must be set`, `${field}.reason: Required value: must be set`],
    ],
    [
      'have a reason that is a word',
      [{ ...good, reason: '1st' }],
      [`${field}.reason: Invalid value: "1st": a condition reason must start with alphabetic character`],
    ],
    [
      'have limited reasons and messages',
      [{ ...good, reason: 'a'.repeat(1025), message: 'b'.repeat(32769) }],
      [
        `${field}.reason: Too long: may not be more than 1024`,
        `${field}.message: Too long: may not be more than 32768`,
      ],
    ],
  ])('%s', (_sentence, conditions, want) => {
    const found = problemsOnStatusUpdate(policy, { 'status.conditions': conditions });
    expect(found).toHaveLength(want.length);
    for (const [index, beginning] of want.entries()) expect(found[index]).toContain(beginning);
  });
});

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'as.example.com' },
  spec: { group: 'example.com', scope: 'Cluster', names: { plural: 'as', kind: 'A' }, versions: [] },
};
const warnings = 'status.typeChecking.expressionWarnings';

test.each<[string, typeof policy | typeof crd, Changes, string[]]>([
  [
    'a warning about a policy says something of a field',
    policy,
    { [warnings]: [{ fieldRef: 'spec.validations[0].expression', warning: 'odd' }, {}] },
    [`${warnings}[1].warning: Required value`, `${warnings}[1].fieldRef: Required value`],
  ],
  [
    'that can be found',
    policy,
    { [warnings]: [{ fieldRef: 'spec.validations[0', warning: 'odd' }] },
    [`${warnings}[0].fieldRef: Invalid value: "spec.validations[0": invalid JSONPath: unterminated array`],
  ],
  [
    'names that were accepted are names',
    crd,
    { 'status.acceptedNames': { plural: 'a', kind: 'A', listKind: 'A' } },
    ['status.acceptedNames.listKind: Invalid value: "A": kind and listKind may not be the same'],
  ],
  ['versions that are no longer stored are taken out', crd, { 'status.storedVersions': ['v2'] }, []],
])('%s', (_sentence, sample, changes, want) => {
  expect(problemsOnStatusUpdate(sample, changes)).toEqual(want);
});
