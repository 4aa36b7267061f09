import type { Pod, PodSpec } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { formatPodResources } from './pod-resource-metrics.js';

function pod(spec: Partial<PodSpec>, phase = 'Running'): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { containers: [], nodeName: 'n1', schedulerName: 'default-scheduler', priority: 7, ...spec },
    status: { phase },
  };
}

const container = (requests: Record<string, string>, limits: Record<string, string> = {}) => ({
  name: 'c',
  image: 'i',
  resources: { requests, limits },
});

/** The series, without the labels that all of them have. */
function series(...pods: Pod[]): string[] {
  return formatPodResources(pods)
    .split('\n')
    .filter((line) => line.startsWith('kube_'))
    .map((line) => line.replace(/namespace=.*?(?=resource=)/, ''));
}

describe('the resources of pods', () => {
  test('are shown with all labels, types and texts', () => {
    const lines = formatPodResources([pod({ containers: [container({ cpu: '250m' })] })]).split('\n');
    expect(lines.find((line) => line.startsWith('kube_'))).toBe(
      'kube_pod_resource_request{namespace="shop",pod="web",node="n1",scheduler="default-scheduler",priority="7",resource="cpu",unit="cores"} 0.25',
    );
    expect(lines).toContain('# TYPE kube_pod_resource_request gauge');
    expect(lines).toContain('# TYPE kube_pod_resource_limit gauge');
    const { spec, ...rest } = pod({ containers: [container({ cpu: '1' })], nodeName: '' });
    const { priority: _priority, ...without } = spec ?? { containers: [] };
    expect(formatPodResources([{ ...rest, spec: without }])).toContain(
      'node="",scheduler="default-scheduler",priority="",',
    );
  });

  test.each([
    [
      'add up over containers, with the overhead on top',
      {
        containers: [container({ cpu: '1' }, { cpu: '2' }), container({ cpu: '500m', memory: '1Ki' })],
        overhead: { cpu: '100m', memory: '1Ki' },
      },
      [
        'kube_pod_resource_limit{resource="cpu",unit="cores"} 2.1',
        'kube_pod_resource_request{resource="cpu",unit="cores"} 1.6',
        'kube_pod_resource_request{resource="memory",unit="bytes"} 2048',
      ],
    ],
    [
      'are those of an init container that needs more',
      { containers: [container({ cpu: '1' })], initContainers: [container({ cpu: '3' })] },
      ['kube_pod_resource_request{resource="cpu",unit="cores"} 3'],
    ],
    [
      'have units',
      {
        containers: [
          container({
            'ephemeral-storage': '5',
            'hugepages-2Mi': '6',
            'attachable-volumes-csi-x': '7',
            'example.com/gpu': '8',
          }),
        ],
      },
      [
        'kube_pod_resource_request{resource="ephemeral-storage",unit="bytes"} 5',
        'kube_pod_resource_request{resource="hugepages-2Mi",unit="bytes"} 6',
        'kube_pod_resource_request{resource="attachable-volumes-csi-x",unit="integer"} 7',
        'kube_pod_resource_request{resource="example.com/gpu",unit=""} 8',
      ],
    ],
    ['are left out where they are zero', { containers: [container({ cpu: '0' })] }, []],
  ])('%s', (_name, spec, expected) => {
    expect(series(pod(spec))).toEqual(expected);
  });

  test.each([
    ['Succeeded', 'n1', 0],
    ['Failed', 'n1', 0],
    ['Failed', '', 1],
    ['Pending', '', 1],
  ])('of a pod that is %s on node %j count %i times', (phase, nodeName, count) => {
    expect(series(pod({ containers: [container({ cpu: '1' })], nodeName }, phase))).toHaveLength(count);
  });
});
