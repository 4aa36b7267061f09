import { expect, test } from 'vitest';
import { userAgentOf } from './user-agent.js';

test.each([
  ['system:serviceaccount:kube-system:deployment-controller', 'kube-controller-manager/deployment-controller'],
  ['system:kube-controller-manager', 'kube-controller-manager'],
  ['system:kube-scheduler', 'kube-scheduler'],
  ['system:coracle:nodes', 'kubelet'],
  ['system:node:n1', 'kubelet'],
  ['kubernetes-admin', 'kubernetes-admin'],
])('%s calls itself %s', (user, agent) => {
  expect(userAgentOf(user)).toBe(agent);
});
