import type { Pod } from '@coracle/api';
import type { PodRejection } from './admit-pod.js';

/** Safe sysctls, which do not affect other pods of the node. */
const safe: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.tcp_wmem',
]);

const ofIpc = /^(kernel\.(sem$|shm|msg)|fs\.mqueue\.)/;

/** Why a pod may not set the sysctls that it requests. `allowed` has names, or prefixes with a `*`. */
export function sysctlRefusal({ spec }: Pod, allowed: readonly string[]): PodRejection | undefined {
  const { securityContext, hostNetwork = false, hostIPC = false } = spec ?? {};
  for (const { name: sysctl } of securityContext?.sysctls ?? []) {
    const name = dotted(sysctl);
    if (hostNetwork && name.startsWith('net.')) return forbidden(sysctl, 'not allowed with host net enabled');
    if (hostIPC && ofIpc.test(name)) return forbidden(sysctl, 'not allowed with host ipc enabled');
    if (!safe.has(name) && !allowed.some((pattern) => matches(name, pattern)))
      return forbidden(sysctl, 'not allowlisted');
  }
  return undefined;
}

function matches(name: string, pattern: string): boolean {
  const dottedPattern = dotted(pattern);
  return dottedPattern.endsWith('*') ? name.startsWith(dottedPattern.slice(0, -1)) : name === dottedPattern;
}

/** The kernel also accepts slashes instead of dots. */
function dotted(name: string): string {
  const [first] = /[./]/.exec(name) ?? [];
  if (first !== '/') return name;
  return name.replace(/[./]/g, (separator) => (separator === '/' ? '.' : '/'));
}

function forbidden(name: string, why: string): PodRejection {
  return { reason: 'SysctlForbidden', message: `forbidden sysctl: ${JSON.stringify(name)} ${why}` };
}
