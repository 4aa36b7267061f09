import type { Command } from 'commander';

/** START-07: the help section of a flag, by its name; the first that matches. */
const sections: readonly (readonly [heading: string, names: RegExp])[] = [
  [
    'Controllers:',
    /^(?:allocate-node|cluster-cidr|node-(?:cidr|monitor|startup|eviction)|metrics-server|prometheus|load-balancer|controllers|concurrent|mirroring|enable-garbage|terminated|resource-quota|legacy|cluster-signing|endpoint-updates|endpointslice|enable-dynamic|pvclaimbinder|attach-detach|disable-(?:attach|force)|cidr-allocator|secondary-node|large-cluster|unhealthy-zone|max-endpoints|horizontal)/,
  ],
  ['Storage:', /^(?:encryption|store|etcd|data-dir|history|event-ttl|storage|watch-cache|default-watch)/],
  ['Serving:', /^(?:listen|bind|secure|tls|cert-dir|advertise|endpoint|apiserver|cors|request-timeout|shutdown)/],
  ['Serving:', /^(?:min-request|max-|enable-priority)/],
  [
    'Authentication:',
    /^(?:client-ca|token-auth|authentication|anonymous|enable-bootstrap|requestheader|service-account|api-audiences|oidc)/,
  ],
  ['Authorization and admission:', /^(?:authorization|enable-admission|disable-admission|admission|allow|default-)/],
  ['Audit:', /^audit/],
  ['API enablement:', /^(?:runtime-config|feature)/],
  ['Services:', /^(?:service-(?:cluster|node)|kubernetes-service)/],
  ['Network:', /^(?:network|cluster-domain|dns|stub|ingress|clean)/],
  ['Nodes:', /^(?:nodes|stages|runtime|cri|kubelet)/],
  ['Scheduler:', /^(?:config|plugin)$/],
];

/** Puts the flags of a command under headings, so that its help can be read. */
export function groupFlags(command: Command): Command {
  for (const option of command.options) {
    const name = option.long?.replace(/^--/, '') ?? '';
    option.helpGroup(sections.find(([, names]) => names.test(name))?.[0] ?? 'Other:');
  }
  return command;
}
