import { describe, expect, test } from 'vitest';
import { problemsOnCreate } from '../../rules.fixture.js';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const asVariable = (valueFrom: object) =>
  problemsOnCreate(pod, { 'spec.containers.0.env': [{ name: 'A', valueFrom }] }).map((problem) =>
    problem.replace('spec.containers[0].env[0].valueFrom.', ''),
  );
const asFile = (source: object) =>
  problemsOnCreate(pod, { 'spec.volumes': [{ name: 'v', downwardAPI: { items: [{ path: 'p', ...source }] } }] }).map(
    (problem) => problem.replace('spec.volumes[0].downwardAPI.', ''),
  );
const bytes = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';

describe('a variable', () => {
  test.each([
    { name: 'has a field of its pod', from: { fieldRef: { fieldPath: 'status.podIP' } }, problems: [] },
    { name: 'has one label', from: { fieldRef: { fieldPath: "metadata.labels['app']" } }, problems: [] },
    {
      name: 'does not have all labels',
      from: { fieldRef: { fieldPath: 'metadata.labels' } },
      problems: [
        'fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
      ],
    },
    {
      name: 'does not have unsupported fields',
      from: { fieldRef: { fieldPath: 'spec.containers' } },
      problems: [
        'fieldRef.fieldPath: Invalid value: "spec.containers": error converting fieldPath: field label not supported: spec.containers',
      ],
    },
    {
      name: 'has parts only of what has parts',
      from: { fieldRef: { fieldPath: "metadata.name['a']" } },
      problems: [
        `fieldRef.fieldPath: Invalid value: "metadata.name['a']": error converting fieldPath: field label does not support subscript: metadata.name['a']`,
      ],
    },
    {
      name: 'has a field of a version that there is',
      from: { fieldRef: { apiVersion: 'v2', fieldPath: 'metadata.name' } },
      problems: [
        'fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2',
      ],
    },
    {
      name: 'has what its container may use',
      from: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } },
      problems: [],
    },
    {
      name: 'has huge pages of any size',
      from: { resourceFieldRef: { resource: 'limits.hugepages-2Mi', divisor: '1Mi' } },
      problems: [],
    },
    {
      name: 'does not have other resources',
      from: { resourceFieldRef: { resource: 'limits.gpu' } },
      problems: [
        'resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
      ],
    },
    {
      name: 'counts processors in units that there are',
      from: { resourceFieldRef: { resource: 'limits.cpu', divisor: '10m' } },
      problems: [
        `resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
      ],
    },
    {
      name: 'counts memory in units that there are',
      from: { resourceFieldRef: { resource: 'requests.memory', divisor: '2Mi' } },
      problems: [
        `resourceFieldRef.divisor: Invalid value: "requests.memory": only divisor's values ${bytes} are supported with the memory resource`,
      ],
    },
  ])('$name', ({ from, problems }) => {
    expect(asVariable(from)).toEqual(problems);
  });
});

describe('a file', () => {
  test.each([
    { name: 'has all labels', source: { fieldRef: { fieldPath: 'metadata.labels' } }, problems: [] },
    {
      name: 'has what a container may use that it names',
      source: { resourceFieldRef: { containerName: 'c', resource: 'limits.memory' } },
      problems: [],
    },
    {
      name: 'says which container it means',
      source: { resourceFieldRef: { resource: 'limits.memory' } },
      problems: ['resourceFieldRef.containerName: Required value'],
    },
  ])('$name', ({ source, problems }) => {
    expect(asFile(source)).toEqual(problems);
  });
});
