import { describe, expect, test } from 'vitest';
import type { NodeSelectorTerm, PodSpec } from '../../generated/types/core-v1.js';
import { requiredNodeAffinityMatches, termMatches } from './node-selector-match.js';

const node = { metadata: { name: 'n1', labels: { zone: 'a', cores: '16', empty: '' } } };

describe('a term', () => {
  const cases: readonly { name: string; term: NodeSelectorTerm; matches: boolean }[] = [
    { name: 'without conditions', term: {}, matches: false },
    { name: 'in', term: label('zone', 'In', 'a', 'b'), matches: true },
    { name: 'in others', term: label('zone', 'In', 'b'), matches: false },
    { name: 'in, of a label that is not there', term: label('rack', 'In', ''), matches: false },
    { name: 'not in others', term: label('zone', 'NotIn', 'b'), matches: true },
    { name: 'not in', term: label('zone', 'NotIn', 'a'), matches: false },
    { name: 'not in, of a label that is not there', term: label('rack', 'NotIn', 'a'), matches: true },
    { name: 'exists, though it is empty', term: label('empty', 'Exists'), matches: true },
    { name: 'exists, of a name that every object inherits', term: label('constructor', 'Exists'), matches: false },
    { name: 'does not exist', term: label('rack', 'DoesNotExist'), matches: true },
    { name: 'does not exist, though it does', term: label('zone', 'DoesNotExist'), matches: false },
    { name: 'greater, as a number', term: label('cores', 'Gt', '9'), matches: true },
    { name: 'greater than itself', term: label('cores', 'Gt', '16'), matches: false },
    { name: 'less', term: label('cores', 'Lt', '+17'), matches: true },
    { name: 'less, of what is no number', term: label('zone', 'Lt', '17'), matches: false },
    { name: 'compared in a way that there is not', term: label('zone', 'Like', 'a'), matches: false },
    {
      name: 'by name',
      term: { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] },
      matches: true,
    },
    {
      name: 'of which only one half holds',
      term: { ...label('zone', 'In', 'a'), matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] },
      matches: false,
    },
  ];
  test.each(cases)('$name: $matches', ({ term, matches }) => {
    expect(termMatches(term, node)).toBe(matches);
  });
});

describe('node selectors and affinity of a pod', () => {
  const cases: readonly { name: string; spec: Partial<PodSpec>; matches: boolean }[] = [
    { name: 'is nothing unless it says so', spec: {}, matches: true },
    { name: 'is all of its node selector', spec: { nodeSelector: { zone: 'a', cores: '8' } }, matches: false },
    { name: 'is one of the terms', spec: required(label('zone', 'In', 'b'), label('zone', 'In', 'a')), matches: true },
    {
      name: 'is the selector and the terms',
      spec: { nodeSelector: { zone: 'a' }, ...required(label('zone', 'In', 'b')) },
      matches: false,
    },
  ];
  test.each(cases)('$name', ({ spec, matches }) => {
    expect(requiredNodeAffinityMatches({ containers: [], ...spec }, node)).toBe(matches);
  });
});

function label(key: string, operator: string, ...values: string[]): NodeSelectorTerm {
  return { matchExpressions: [{ key, operator, values }] };
}

function required(...nodeSelectorTerms: NodeSelectorTerm[]): Partial<PodSpec> {
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
}
