import { describe, expect, test } from 'vitest';
import { parseStages } from './parse-stages.js';

const head = { apiVersion: 'kwok.x-k8s.io/v1alpha1', kind: 'Stage', metadata: { name: 's' } };
const pod = { resourceRef: { apiGroup: 'v1', kind: 'Pod' }, selector: {} };

describe('stages', () => {
  test('are read from several documents and from lists', () => {
    const one = JSON.stringify({ ...head, spec: { ...pod, next: { delete: true } } });
    expect(parseStages(`${one}\n---\n{"kind":"List","items":[${one},${one}]}\n---\n`, 'x')).toHaveLength(3);
  });

  test('next and steps are equivalent', () => {
    const event = { type: 'Normal', reason: 'R', message: 'm {{ .metadata.name }}' };
    const next = { ...head, spec: { ...pod, next: { event, delete: true } } };
    const steps = { ...head, spec: { ...pod, steps: [{ event }, { delete: true }] } };
    const kinds = (stage: object) => parseStages(JSON.stringify(stage), 'x')[0]?.steps.map(({ kind }) => kind);
    expect([kinds(next), kinds(steps)]).toEqual([
      ['event', 'delete'],
      ['event', 'delete'],
    ]);
  });

  test.each([
    ['another kind', { ...head, kind: 'Pod' }, 'f.yaml: only objects of kwok.x-k8s.io/v1alpha1, kind Stage, are read'],
    [
      'another resource',
      { ...head, spec: { resourceRef: { apiGroup: 'apps/v1', kind: 'Deployment' } } },
      'f.yaml: stage "s": apps/v1 Deployment has no stages here: Pod and Node have',
    ],
    ['an unknown field', { ...head, spec: { ...pod, nxt: {} } }, 'stage "s": spec.nxt is not supported'],
    [
      'impersonation',
      { ...head, spec: { ...pod, next: { patches: [{ template: '{}', impersonation: {} }] } } },
      'spec.next.patches[0].impersonation is not supported',
    ],
    [
      'CEL',
      { ...head, spec: { ...pod, selector: { matchExpressions: [{ expression: 'true' }] } } },
      'spec.selector.matchExpressions[0].expression is not supported',
    ],
    [
      'an operator',
      { ...head, spec: { ...pod, selector: { matchExpressions: [{ key: '.a', operator: 'Gt' }] } } },
      'matchExpressions[0].operator must be one of In, NotIn, Exists, DoesNotExist',
    ],
    [
      'a query',
      { ...head, spec: { ...pod, selector: { matchExpressions: [{ key: '.a | keys', operator: 'Exists' }] } } },
      'matchExpressions[0].key: "keys" is not supported here in ".a | keys"',
    ],
    ['a template', { ...head, spec: { ...pod, next: { statusTemplate: '{{ if }}' } } }, 'spec.next.statusTemplate: '],
    [
      'a function',
      { ...head, spec: { ...pod, next: { statusTemplate: '{{ Nonsense }}' } } },
      'function "Nonsense" not defined',
    ],
    ['a number', { ...head, spec: { ...pod, weight: 'many' } }, 'spec.weight must be a number'],
  ])('%s is refused', (_, object, message) => {
    expect(() => parseStages(JSON.stringify(object), 'f.yaml')).toThrow(message);
  });

  test('invalid YAML is reported with its position', () => {
    expect(() => parseStages('a: [', 'f.yaml')).toThrow(/^f\.yaml: /);
  });
});
