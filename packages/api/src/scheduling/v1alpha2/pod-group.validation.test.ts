import { expect, test } from 'vitest';
import {
  type Changes,
  problemsOnCreate,
  problemsOnStatusUpdate,
  problemsOnUpdate,
  withDefaults,
} from '../../rules.fixture.js';

const group = {
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  kind: 'PodGroup',
  metadata: { name: 'g' },
  spec: { schedulingPolicy: { gang: { minCount: 2 } } },
};
const workload = {
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  kind: 'Workload',
  metadata: { name: 'w' },
  spec: { podGroupTemplates: [{ name: 'workers', schedulingPolicy: { basic: {} } }] },
};

test('pods of a group are disrupted one by one by default', () => {
  expect(withDefaults(group).spec.disruptionMode).toBe('Pod');
});

test.each<[string, Changes, string[]]>([
  ['a gang is a group', {}, []],
  [
    'with at least one pod',
    { 'spec.schedulingPolicy.gang.minCount': 0 },
    ['spec.schedulingPolicy.gang.minCount: Invalid value: 0: must be greater than 0'],
  ],
  [
    'with one policy',
    { 'spec.schedulingPolicy': {} },
    ['spec.schedulingPolicy: Invalid value: "": must specify one of: `basic`, `gang`'],
  ],
  [
    'and not with two',
    { 'spec.schedulingPolicy.basic': {} },
    ['spec.schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`'],
  ],
  ['in one domain', { 'spec.schedulingConstraints': { topology: [{ key: 'example.com/rack' }] } }, []],
  [
    'of one topology',
    { 'spec.schedulingConstraints': { topology: [{ key: 'a' }, { key: 'b' }] } },
    ['spec.schedulingConstraints.topology: Too many: 2: must have at most 1 item'],
  ],
  [
    'with a known disruption mode',
    { 'spec.disruptionMode': 'All' },
    ['spec.disruptionMode: Unsupported value: "All": supported values: "Pod", "PodGroup"'],
  ],
  [
    'of a template that is named in full',
    { 'spec.podGroupTemplateRef': { workload: { workloadName: 'w' } } },
    ['spec.podGroupTemplateRef.workload.podGroupTemplateName: Required value'],
  ],
  [
    'with claims that come from somewhere',
    { 'spec.resourceClaims': [{ name: 'gpu' }] },
    [
      'spec.resourceClaims[0]: Invalid value: "": must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    ],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(group, changes)).toEqual(want);
});

test('the spec of a group stays as it is', () => {
  expect(problemsOnUpdate(group, { 'spec.schedulingPolicy.gang.minCount': 3 })).toHaveLength(1);
  expect(problemsOnUpdate(group, { 'metadata.labels': { a: 'b' } })).toEqual([]);
  expect(problemsOnStatusUpdate(group, { 'status.conditions': [{ type: 'A', status: 'True' }] })).toHaveLength(2);
});

test('a workload has templates with distinct names', () => {
  expect(problemsOnCreate(workload, {})).toEqual([]);
  expect(problemsOnCreate(workload, { 'spec.podGroupTemplates': [] })).toEqual([
    'spec.podGroupTemplates: Required value',
  ]);
  const [template] = workload.spec.podGroupTemplates;
  expect(problemsOnCreate(workload, { 'spec.podGroupTemplates': [template, template] })).toHaveLength(1);
  expect(problemsOnUpdate(workload, { 'spec.podGroupTemplates.0.name': 'others' })).toHaveLength(1);
  expect(problemsOnUpdate(workload, { 'spec.controllerRef': { kind: 'Job', name: 'j' } })).toEqual([]);
});
