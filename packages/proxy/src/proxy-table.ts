import type { Family } from './service-port.js';

export const proxyTable = 'coracle-proxy';

/** Inputs of the rules of a node besides services. */
export interface TableOptions {
  /**
   * Networks of pods: what comes from elsewhere to a cluster address is masqueraded, so that answers come back here.
   */
  readonly podNetworks: readonly string[];
  /** Everything that goes to a cluster address is masqueraded. */
  readonly masqueradeAll: boolean;
  /** The bit of the packet's mark that selects it. */
  readonly masqueradeBit: number;
  /** Networks of the node's addresses that node ports are served on; all but loopback if empty. */
  readonly nodePortAddresses: readonly string[];
}

export function familyWord(family: Family): 'ip' | 'ip6' {
  return family === 4 ? 'ip' : 'ip6';
}

/**
 * The table of one family: maps, and rules that never change. Services and endpoints are elements of maps; what depends
 * on a number, such as a random choice among n, is a chain of its own that `neededChain` writes.
 *
 * services ─ one address and port ─> cluster-n | external-n | choose-local ─> endpoints ─ number ─> address and port
 */
export function tableRules(family: Family, options: TableOptions): string {
  const word = familyWord(family);
  const address = family === 4 ? 'ipv4_addr' : 'ipv6_addr';
  const target = `${word} daddr . meta l4proto . th dport`;
  const frontend = `type ${address} . inet_proto . inet_service : verdict;`;
  const port = 'type inet_proto . inet_service : verdict;';
  return `
table ${word} ${proxyTable} {
  map services { ${frontend} }
  map local-services-inside { ${frontend} }
  map local-services-outside { ${frontend} }
  map unserved { ${frontend} }
  map sticky { ${frontend} }
  map node-ports { ${port} }
  map local-node-ports-inside { ${port} }
  map local-node-ports-outside { ${port} }
  map unserved-node-ports { ${port} }
  map sticky-node-ports { ${port} }
  map endpoints { typeof ${target} . numgen random mod 65536 : ${word} daddr . th dport; }
  map local-endpoints { typeof ${target} . numgen random mod 65536 : ${word} daddr . th dport; }
  map node-port-endpoints { typeof meta l4proto . th dport . numgen random mod 65536 : ${word} daddr . th dport; }
  map local-node-port-endpoints { typeof meta l4proto . th dport . numgen random mod 65536 : ${word} daddr . th dport; }
  map affinity { type ${address} . ${address} . inet_proto . inet_service : ${address} . inet_service; flags dynamic,timeout; timeout 3h; }
  set hairpin { type ${address} . ${address}; }
  set firewalled { type ${address} . inet_proto . inet_service; }
  set sources { type ${address} . inet_proto . inet_service . ${address}; flags interval; }
  chain mark-for-masquerade {
    meta mark set meta mark | ${hex(1 << options.masqueradeBit)}
  }
  chain reject-connection {
    meta l4proto tcp reject with tcp reset
    reject
  }
  # Local traffic policy: what comes from outside stays on the node, pods and the node itself go anywhere.
  chain choose-local {
${fromInside(family, options, `${target} vmap @local-services-inside`)}    ${target} vmap @local-services-outside
  }
  chain choose-local-node-port {
${fromInside(family, options, 'meta l4proto . th dport vmap @local-node-ports-inside')}    meta l4proto . th dport vmap @local-node-ports-outside
  }
  chain dispatch {
    ${target} vmap @services
    ${nodePortMatch(family, options)} meta l4proto . th dport vmap @node-ports
  }
  chain prerouting { type nat hook prerouting priority -100; jump dispatch
  }
  chain output { type nat hook output priority -100; jump dispatch
  }
  chain check {
    ${target} @firewalled ${target} . ${word} saddr != @sources drop
    ${target} vmap @unserved
    ${nodePortMatch(family, options)} meta l4proto . th dport vmap @unserved-node-ports
  }
  chain check-prerouting { type filter hook prerouting priority -110; ct state new jump check
  }
  chain check-output { type filter hook output priority -110; ct state new jump check
  }
  chain postrouting { type nat hook postrouting priority 90;
${eachProtocol((name) => `meta l4proto ${name} ct status dnat ct original ${word} daddr . meta l4proto . ct original proto-dst vmap @sticky`)}
${eachProtocol((name) => `meta l4proto ${name} ct status dnat meta l4proto . ct original proto-dst vmap @sticky-node-ports`)}
    meta mark & ${hex(1 << options.masqueradeBit)} != 0 meta mark set meta mark & ${hex(~(1 << options.masqueradeBit))} masquerade fully-random
    ct status dnat ${word} saddr . ${word} daddr @hairpin masquerade fully-random
  }
}
`;
}

/** Removes the table, whether it is there or not. */
export function dropTable(family: Family): string {
  const table = `table ${familyWord(family)} ${proxyTable}`;
  return `add ${table}\ndelete ${table}\n`;
}

function eachProtocol(rule: (protocol: string) => string): string {
  return ['tcp', 'udp', 'sctp'].map((protocol) => `    ${rule(protocol)}`).join('\n');
}

function fromInside(family: Family, options: TableOptions, rule: string): string {
  const networks = ofFamily(options.podNetworks, family);
  const pods = networks.length > 0 ? `    ${familyWord(family)} saddr { ${networks.join(', ')} } ${rule}\n` : '';
  return `${pods}    fib saddr type local ${rule}\n`;
}

function nodePortMatch(family: Family, { nodePortAddresses }: TableOptions): string {
  const word = familyWord(family);
  const chosen = ofFamily(nodePortAddresses, family);
  const addresses = chosen.length > 0 ? `{ ${chosen.join(', ')} }` : `!= ${family === 4 ? '127.0.0.0/8' : '::1'}`;
  return `fib daddr type local ${word} daddr ${addresses}`;
}

function ofFamily(networks: readonly string[], family: Family): string[] {
  return networks.filter((network) => network.includes(':') === (family === 6));
}

function hex(word: number): string {
  return `0x${(word >>> 0).toString(16)}`;
}

/** The treatment of a packet once its service is known. */
export type Pick = 'cluster' | 'external' | 'local' | 'node-port' | 'local-node-port';

/** The chain that picks one of `count` endpoints, first of all that which the client had, if it is to stay with it. */
export function pickChain(pick: Pick, count: number, sticky: boolean): string {
  return `${pick}-${count}${sticky ? '-sticky' : ''}`;
}

/** Number of endpoints up to which chains exist from the start: most services have no more. */
const usualCount = 16;

/** The initial chains of every table, so that most changes affect only elements. */
export function usualChains(): string[] {
  const counts = Array.from({ length: usualCount }, (_, i) => i + 1);
  const picks = Object.keys(mapOfPick) as Pick[];
  return picks.flatMap((pick) =>
    counts.flatMap((count) => [pickChain(pick, count, false), pickChain(pick, count, true)]),
  );
}

/** The chain that records the endpoint of a client, for session affinity. */
export function rememberChain(seconds: number): string {
  return `remember-${seconds}`;
}

const mapOfPick: Readonly<Record<Pick, string>> = {
  cluster: 'endpoints',
  external: 'endpoints',
  local: 'local-endpoints',
  'node-port': 'node-port-endpoints',
  'local-node-port': 'local-node-port-endpoints',
};

/** Writes a chain that is defined by its name alone: `external-3`, `cluster-10-sticky`, `remember-10800`. */
export function neededChain(name: string, family: Family, options: TableOptions): string {
  const remembered = /^remember-(\d+)$/.exec(name);
  const body = remembered ? rememberRules(family, Number(remembered[1])) : pickRules(name, family, options);
  return `table ${familyWord(family)} ${proxyTable} {\n  chain ${name} {\n${body}\n  }\n}\n`;
}

function pickRules(name: string, family: Family, options: TableOptions): string {
  const [, pick = 'cluster', count = '1', sticky] = /^(.*?)-(\d+)(-sticky)?$/.exec(name) ?? [];
  const word = familyWord(family);
  const map = mapOfPick[pick as Pick];
  const key = pick.endsWith('node-port') ? 'meta l4proto . th dport' : `${word} daddr . meta l4proto . th dport`;
  const to = `meta l4proto { tcp, udp, sctp } dnat ${word} to`;
  return [
    masqueradeRule(pick as Pick, family, options),
    sticky && `${to} ${word} saddr . ${word} daddr . meta l4proto . th dport map @affinity`,
    `${to} ${key} . numgen random mod ${count} map @${map}`,
  ]
    .filter(Boolean)
    .map((rule) => `    ${rule}`)
    .join('\n');
}

/** Traffic that stays on the node keeps the address of its client; what comes from outside to elsewhere cannot. */
function masqueradeRule(pick: Pick, family: Family, { podNetworks, masqueradeAll }: TableOptions): string | undefined {
  if (pick === 'local' || pick === 'local-node-port') return undefined;
  if (pick !== 'cluster' || masqueradeAll) return 'jump mark-for-masquerade';
  const networks = ofFamily(podNetworks, family);
  return networks.length > 0
    ? `${familyWord(family)} saddr != { ${networks.join(', ')} } jump mark-for-masquerade`
    : undefined;
}

function rememberRules(family: Family, seconds: number): string {
  const word = familyWord(family);
  return eachProtocol(
    (protocol) =>
      `meta l4proto ${protocol} update @affinity { ${word} saddr . ct original ${word} daddr . meta l4proto . ct original proto-dst timeout ${seconds}s : ${word} daddr . th dport }`,
  );
}
