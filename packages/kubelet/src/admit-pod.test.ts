import type { Container, Node, Pod, PodSpec } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { refusalOf } from './admit-pod.js';
import { makePod } from './builders.fixture.js';
import { UsedResources } from './used-resources.js';

const node: Node = {
  metadata: { name: 'node-1', labels: { 'kubernetes.io/os': 'linux', disk: 'ssd' } },
  spec: {},
  status: { allocatable: { cpu: '2', memory: '1Gi', pods: '2' } },
};

function container(parts: Partial<Container>): Container[] {
  return [{ name: 'web', image: 'nginx', ...parts }];
}

const port = (hostPort: number, hostIP = '') => ({ containerPort: 80, hostPort, ...(hostIP && { hostIP }) });

/** Pods that are on the node already. */
function used(...pods: Pod[]): UsedResources {
  const resources = new UsedResources();
  for (const [index, pod] of pods.entries())
    resources.add({ ...pod, metadata: { ...pod.metadata, uid: `other-${index}` } });
  return resources;
}

const onPort = (hostIP: string) => makePod({ containers: container({ ports: [port(8080, hostIP)] }) });
const none = used();

describe('K15.1 pods that a kubelet rejects', () => {
  test.each<[string, Partial<PodSpec>, UsedResources, string | undefined]>([
    ['nothing that fits', { nodeSelector: { disk: 'ssd' }, nodeName: 'node-1' }, none, undefined],
    [
      'pods for another system, by label',
      { nodeSelector: { 'kubernetes.io/os': 'windows' } },
      none,
      'PodOSSelectorNodeLabelDoesNotMatch',
    ],
    ['pods for another system, by field', { os: { name: 'windows' } }, none, 'PodOSNotSupported'],
    [
      'pods that allow no groups of images, where the runtime does not know that',
      { securityContext: { supplementalGroupsPolicy: 'Strict' } },
      none,
      'SupplementalGroupsPolicyNotSupported',
    ],
    ['but not those that do', { securityContext: { supplementalGroupsPolicy: 'Merge' } }, none, undefined],
    [
      'pods that request too much',
      { containers: container({ resources: { requests: { cpu: '3' } } }) },
      none,
      'OutOfcpu',
    ],
    ['pods beyond the number that it takes', {}, used(makePod(), makePod()), 'OutOfpods'],
    ['pods for nodes of another kind', { nodeSelector: { disk: 'hdd' } }, none, 'NodeAffinity'],
    ['pods for another node', { nodeName: 'node-2' }, none, 'NodeName'],
    [
      'pods whose port is taken',
      { containers: container({ ports: [port(8080)] }) },
      used(onPort('10.0.0.1')),
      'NodePorts',
    ],
    [
      'but not for another address',
      { containers: container({ ports: [port(8080, '10.0.0.2')] }) },
      used(onPort('10.0.0.1')),
      undefined,
    ],
  ])('%s', (_, spec, there, reason) => {
    expect(refusalOf(makePod(spec), node, there)?.reason).toBe(reason);
  });

  test('no pod for its groups policy where the runtime supports it', () => {
    const able: Node = { ...node, status: { ...node.status, features: { supplementalGroupsPolicy: true } } };
    const pod = makePod({ securityContext: { supplementalGroupsPolicy: 'Strict' } });
    expect(refusalOf(pod, able, none)).toBeUndefined();
  });

  test('extended resources that the node has too few of, but not those that it does not have at all', () => {
    const resourceName = 'example.com/gpu';
    const pod = makePod({ containers: container({ resources: { requests: { [resourceName]: '2' } } }) });
    const withGpus = (count: string): Node => ({
      ...node,
      status: { allocatable: { ...node.status?.allocatable, [resourceName]: count } },
    });
    expect(refusalOf(pod, withGpus('1'), none)?.reason).toBe('OutOfexample.com/gpu');
    expect(refusalOf(pod, withGpus('2'), none)).toBeUndefined();
    expect(refusalOf(pod, node, none)).toBeUndefined();
  });

  test('pods that it would evict at once', () => {
    const tainted: Node = {
      ...node,
      spec: {
        taints: [
          { key: 'x', effect: 'NoExecute' },
          { key: 'y', effect: 'NoSchedule' },
        ],
      },
    };
    expect(refusalOf(makePod(), tainted, none)).toEqual({
      reason: 'TaintToleration',
      message: 'Predicate TaintToleration failed: node(s) had untolerated taint(s)',
    });
    const tolerations = [{ key: 'x', operator: 'Exists' }];
    expect(refusalOf(makePod({ tolerations }), tainted, none)).toBeUndefined();
    const pod = makePod();
    const annotations = { 'kubernetes.io/config.source': 'file' };
    expect(refusalOf({ ...pod, metadata: { ...pod.metadata, annotations } }, tainted, none)).toBeUndefined();
  });

  test('the message has the available amount', () => {
    const there = used(makePod({ containers: container({ resources: { requests: { memory: '512Mi' } } }) }));
    const pod = makePod({ containers: container({ resources: { requests: { memory: '768Mi' } } }) });
    expect(refusalOf(pod, node, there)?.message).toBe(
      "Node didn't have enough resource: memory, requested: 805306368, used: 536870912, capacity: 1073741824",
    );
  });

  test('the resources of a pod are released when it is removed', () => {
    const there = used(onPort(''));
    there.remove('other-0');
    expect(refusalOf(onPort(''), node, there)).toBeUndefined();
  });
});
