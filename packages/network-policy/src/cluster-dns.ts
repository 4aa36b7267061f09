import type { networkingv1, Pod } from '@coracle/api';
import { meansParty, meansPort } from './is-allowed.js';
import { type PolicyWorld, rulesOf } from './policy-world.js';

export const dnsProtocols = ['UDP', 'TCP'] as const;

/** The cluster's DNS as policies name it: as if it were the pod that it is in other clusters. */
const dnsPod: Pod = {
  metadata: { name: 'kube-dns', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
  spec: {
    containers: [
      {
        name: 'dns',
        ports: [
          { name: 'dns', containerPort: 53, protocol: 'UDP' },
          { name: 'dns-tcp', containerPort: 53, protocol: 'TCP' },
        ],
      },
    ],
  },
};

/** Whether a policy allows the pods that it isolates to query the cluster DNS. Blocks of addresses cannot name it but for all. */
export function allowsDns(policy: networkingv1.NetworkPolicy, protocol: string, world: PolicyWorld): boolean {
  const everywhere = ['0.0.0.0/0', '::/0'];
  return rulesOf(policy, 'egress').some((rule) => {
    if (!meansPort(rule, { to: { pod: dnsPod }, port: 53, protocol })) return false;
    if (meansParty(rule, { pod: dnsPod }, { policy, world })) return true;
    return rule.peers.some(({ ipBlock }) => ipBlock && everywhere.includes(ipBlock.cidr) && !ipBlock.except?.length);
  });
}
