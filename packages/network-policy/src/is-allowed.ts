import type { networkingv1, Pod } from '@coracle/api';
import { cidrContains, parseCidr, parseIp } from '@coracle/apimachinery';
import type { Direction, PolicyRule, PolicyWorld } from './policy-world.js';
import { addressesOfPod, hasOwnAddress, isAbout, isPeer, namedPort, rulesOf, selects } from './policy-world.js';

type NetworkPolicy = networkingv1.NetworkPolicy;

/** One end of a connection: a pod, or an address of something else. */
export type Party = { readonly pod: Pod } | { readonly address: string };

export interface Attempt {
  readonly from: Party;
  readonly to: Party;
  readonly port: number;
  /** `TCP`, `UDP` or `SCTP`. */
  readonly protocol: string;
}

/** Whether policies allow a connection: both the client's egress and the server's ingress. */
export function isAllowed(attempt: Attempt, world: PolicyWorld): boolean {
  return passes('egress', attempt, world) && passes('ingress', attempt, world);
}

/** A pod that no policy isolates in a direction is open in it. */
function passes(direction: Direction, attempt: Attempt, world: PolicyWorld): boolean {
  const [own, other] = direction === 'ingress' ? [attempt.to, attempt.from] : [attempt.from, attempt.to];
  if (!('pod' in own) || !hasOwnAddress(own.pod)) return true;
  const { pod } = own;
  const policies = world.policies.filter((policy) => isAbout(policy, direction) && selects(policy, pod));
  if (policies.length === 0) return true;
  return policies.some((policy) =>
    rulesOf(policy, direction).some((rule) => meansParty(rule, other, { policy, world }) && meansPort(rule, attempt)),
  );
}

interface Judged {
  readonly policy: NetworkPolicy;
  readonly world: PolicyWorld;
}

/** Whether a rule matches one end of a connection. */
export function meansParty({ peers }: PolicyRule, party: Party, { policy, world }: Judged): boolean {
  if (peers.length === 0) return true;
  const namespace = policy.metadata.namespace ?? '';
  const addresses = 'pod' in party ? addressesOfPod(party.pod) : [party.address];
  return peers.some((peer) => {
    if (peer.ipBlock) return addresses.some((address) => isInBlock(address, peer.ipBlock));
    return 'pod' in party && isPeer(peer, party.pod, { namespace, world });
  });
}

function isInBlock(
  text: string,
  block: { readonly cidr: string; readonly except?: readonly string[] } | undefined,
): boolean {
  const address = parseIp(text);
  const inside = (cidr: string) => {
    const parsed = parseCidr(cidr);
    return !!address && !!parsed && cidrContains(parsed, address);
  };
  return !!block && inside(block.cidr) && !(block.except ?? []).some(inside);
}

/** Whether a rule matches a port. */
export function meansPort(
  { ports }: PolicyRule,
  { to, port, protocol }: Pick<Attempt, 'to' | 'port' | 'protocol'>,
): boolean {
  if (ports.length === 0) return true;
  return ports.some((one) => {
    if ((one.protocol ?? 'TCP') !== protocol) return false;
    if (one.port === undefined) return true;
    if (typeof one.port === 'string') return 'pod' in to && namedPort(to.pod, one.port, protocol) === port;
    return port >= one.port && port <= (one.endPort ?? one.port);
  });
}
