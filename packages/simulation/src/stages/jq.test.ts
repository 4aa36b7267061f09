import { describe, expect, test } from 'vitest';
import { parseQuery } from './jq.js';

const pod = {
  metadata: { name: 'web', labels: { 'a.b/c': 'x' }, ownerReferences: [{ kind: 'Job' }, { kind: 'Other' }] },
  status: {
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Initialized', status: 'False' },
    ],
  },
  spec: { count: 3, large: 2n ** 63n - 1n },
};

describe('queries', () => {
  test.each([
    ['.metadata.name', ['web']],
    ['.metadata.labels["a.b/c"]', ['x']],
    ['.metadata."name"', ['web']],
    ['.metadata.absent.further', [null]],
    ['.metadata.ownerReferences.[].kind', ['Job', 'Other']],
    ['.metadata.ownerReferences[].kind', ['Job', 'Other']],
    ['.metadata.ownerReferences[1].kind', ['Other']],
    ['.metadata.ownerReferences[9]', [null]],
    ['.status.absent[]', []],
    ['.status.conditions.[] | select( .type == "Ready" ) | .status', ['True']],
    ['.status.conditions[] | select(.type == "Ready" and .status != "True")', []],
    ['.status.conditions[] | select(.type == "None" or (.status == "False")) | .type', ['Initialized']],
    ['.status.conditions | length', [2]],
    ['.metadata.absent // "other"', ['other']],
    ['.spec.count > 2', [true]],
    ['.spec.count <= 2 | not', [true]],
    ['.spec.large > .spec.count', [true]],
    ['.spec.absent?', [null]],
    ['.', [pod]],
  ])('%s', (text, expected) => {
    expect(parseQuery(text)(pod)).toEqual(expected);
  });

  test.each(['.a | map(.b)', '.a[', '.a ]', 'select(.a', '.a = 1', '.a | test("x")', ''])('%s is refused', (text) => {
    expect(() => parseQuery(text)).toThrow(SyntaxError);
  });
});
