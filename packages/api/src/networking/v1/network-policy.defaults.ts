import type { NetworkPolicy } from '../../generated/types/networking-v1.js';

/** A policy without policyTypes governs ingress, and egress if it has egress rules. */
export function setNetworkPolicyDefaults({ spec = {} }: NetworkPolicy): void {
  for (const { ports = [] } of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
    for (const port of ports) port.protocol ??= 'TCP';
  }
  if (spec.policyTypes?.length) return;
  spec.policyTypes = spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress'];
}
