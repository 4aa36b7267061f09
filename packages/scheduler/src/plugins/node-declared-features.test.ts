import type { Container, PodSpec } from '@coracle/api';
import { expect, test } from 'vitest';
import { fittingNodes, makeNode, makeNodeInfo, makePodInfo } from '../builders.fixture.js';
import { NodeInfo } from '../cache/node-info.js';
import { nodeDeclaredFeatures } from './node-declared-features.js';

const feature = 'RestartAllContainersOnContainerExits';

function declaring(name: string, ...declaredFeatures: string[]): NodeInfo {
  const node = makeNode(name);
  return new NodeInfo({ ...node, status: { ...node.status, declaredFeatures } });
}

const rule = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [1] } };
const container: Container = { name: 'app', image: 'app', restartPolicy: 'Always', restartPolicyRules: [rule] };
const nodes = [makeNodeInfo('silent'), declaring('able', 'Other', feature)];

test.each<[string, Partial<PodSpec>, string]>([
  ['a pod that needs nothing goes anywhere', {}, 'skip'],
  ['rules that restart all containers need a kubelet that has them', { containers: [container] }, 'able'],
  ['in init containers too', { initContainers: [container] }, 'able'],
  ['users of their own on the network of the host need another feature', { hostNetwork: true, hostUsers: false }, ''],
])('%s', (_name, spec, expected) => {
  expect(fittingNodes(nodeDeclaredFeatures, makePodInfo('p', { spec }), nodes)).toBe(expected);
});

test('a node requeues the pods whose features it begins to declare', () => {
  const pod = makePodInfo('p', { spec: { containers: [container] } });
  const [silent, able] = nodes.map(({ node }) => node) as [NodeInfo['node'], NodeInfo['node']];
  const helps = (from: NodeInfo['node'], to: NodeInfo['node']) => {
    const event = { kind: 'node-updated', node: to, previous: from } as const;
    return nodeDeclaredFeatures.wakesOn?.some((one) => one.event === event.kind && one.helps?.(event, pod));
  };
  expect([helps(silent, able), helps(able, able), helps(able, silent)]).toEqual([true, false, false]);
});
