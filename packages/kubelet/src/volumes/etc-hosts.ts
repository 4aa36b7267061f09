import type { HostAlias } from '@coracle/api';

export interface EtcHostsInput {
  /** IP addresses of the pod; those of the node for host-network pods. */
  readonly podIps: readonly string[];
  readonly hostname: string;
  /** With a subdomain: `web-0.nginx.default.svc.cluster.local`. */
  readonly fullName?: string;
  readonly aliases: readonly HostAlias[];
}

const loopback = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];

/** The `/etc/hosts` of a pod that has its own network. */
export function podHostsFile({ podIps, hostname, fullName, aliases }: EtcHostsInput): string {
  const names = fullName ? `${fullName}\t${hostname}` : hostname;
  const own = podIps.map((ip) => `${ip}\t${names}`);
  return `${['# Kubernetes-managed hosts file.', ...loopback, ...own].join('\n')}\n${aliasLines(aliases)}`;
}

/** The node's hosts file, for host-network pods. */
export function nodeHostsFile(ownFile: string, aliases: readonly HostAlias[]): string {
  return `# Kubernetes-managed hosts file (host network).\n${ownFile}${aliasLines(aliases)}`;
}

function aliasLines(aliases: readonly HostAlias[]): string {
  if (aliases.length === 0) return '';
  const lines = aliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join('\t')}`);
  return `\n# Entries added by HostAliases.\n${lines.join('\n')}\n`;
}
