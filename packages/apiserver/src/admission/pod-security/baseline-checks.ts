import type { Container, corev1 } from '@coracle/api';
import { type Check, containersOf, namesOf, plural, quotedList, settersOf, sortedSet } from './check.js';

const allowedCapabilities = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
);
const allowedAppArmor = new Set(['RuntimeDefault', 'Localhost']);

function isAllowedAppArmor(annotation: string): boolean {
  return annotation === '' || annotation === 'runtime/default' || annotation.startsWith('localhost/');
}

const allowedSelinuxTypes = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t']);
const allowedSysctls = new Set(
  (
    'kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.tcp_syncookies net.ipv4.ping_group_range net.ipv4.ip_unprivileged_port_start ' +
    'net.ipv4.ip_local_reserved_ports net.ipv4.tcp_keepalive_time net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl net.ipv4.tcp_keepalive_probes ' +
    'net.ipv4.tcp_rmem net.ipv4.tcp_wmem'
  ).split(' '),
);

/** Prevents known ways for a pod to take over its node. */
export const baselineChecks: readonly Check[] = [
  {
    id: 'appArmorProfile',
    level: 'baseline',
    check(metadata, spec) {
      const prefix = 'container.apparmor.security.beta.kubernetes.io/';
      const annotated = Object.entries(metadata.annotations ?? {})
        .filter(([key, value]) => key.startsWith(prefix) && !isAllowedAppArmor(value))
        .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
        .sort();
      const isBad = (context: { appArmorProfile?: { type?: string } } | undefined) =>
        context?.appArmorProfile !== undefined && !allowedAppArmor.has(context.appArmorProfile.type ?? '');
      const bad = containersOf(spec).filter(({ securityContext }) => isBad(securityContext));
      const podBad = isBad(spec.securityContext);
      const set = [...(podBad ? [spec.securityContext] : []), ...bad.map(({ securityContext }) => securityContext)];
      const values = [...sortedSet(set.map((context) => context?.appArmorProfile?.type ?? '')), ...annotated];
      if (values.length === 0) return undefined;
      const who = [settersOf(podBad, bad), annotated.length > 0 ? plural('annotation', annotated.length) : ''];
      return {
        reason: plural('forbidden AppArmor profile', values.length),
        detail: `${who.filter(Boolean).join(' and ')} must not set AppArmor profile type to ${values.map((value) => `"${value}"`).join(', ')}`,
      };
    },
  },
  {
    id: 'capabilities_baseline',
    level: 'baseline',
    check(_metadata, spec) {
      const added = (container: Container) => container.securityContext?.capabilities?.add ?? [];
      const bad = containersOf(spec).filter((container) =>
        added(container).some((name) => !allowedCapabilities.has(name)),
      );
      if (bad.length === 0) return undefined;
      const names = [...new Set(bad.flatMap(added).filter((name) => !allowedCapabilities.has(name)))].sort();
      return {
        reason: 'non-default capabilities',
        detail: `${namesOf(bad)} must not include ${quotedList(names)} in securityContext.capabilities.add`,
      };
    },
  },
  {
    id: 'hostNamespaces',
    level: 'baseline',
    check(_metadata, spec) {
      const set = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field]);
      return set.length === 0
        ? undefined
        : { reason: 'host namespaces', detail: set.map((field) => `${field}=true`).join(', ') };
    },
  },
  {
    id: 'hostPathVolumes',
    level: 'baseline',
    check(_metadata, spec) {
      const bad = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
      return bad.length === 0
        ? undefined
        : { reason: 'hostPath volumes', detail: `${plural('volume', bad.length)} ${quotedList(bad)}` };
    },
  },
  {
    id: 'hostPorts',
    level: 'baseline',
    check(_metadata, spec) {
      const portsOf = (container: Container) =>
        (container.ports ?? []).map(({ hostPort }) => hostPort ?? 0).filter((port) => port !== 0);
      const bad = containersOf(spec).filter((container) => portsOf(container).length > 0);
      if (bad.length === 0) return undefined;
      const ports = sortedSet(bad.flatMap(portsOf).map(String));
      const uses = bad.length === 1 ? 'uses' : 'use';
      return {
        reason: 'hostPort',
        detail: `${namesOf(bad)} ${uses} ${plural('hostPort', ports.length)} ${ports.join(', ')}`,
      };
    },
  },
  {
    id: 'hostProbesAndHostLifecycle',
    level: 'baseline',
    since: 34,
    check(_metadata, spec) {
      const bad = containersOf(spec).filter((container) => hostsOf(container).length > 0);
      if (bad.length === 0) return undefined;
      const hosts = sortedSet(bad.flatMap(hostsOf));
      const names = sortedSet(bad.map(({ name }) => name)).map((name) => ({ name }));
      const uses = bad.length === 1 ? 'uses' : 'use';
      const what = plural('probe or lifecycle host', hosts.length);
      return { reason: 'probe or lifecycle host', detail: `${namesOf(names)} ${uses} ${what} ${quotedList(hosts)}` };
    },
  },
  {
    id: 'privileged',
    level: 'baseline',
    check(_metadata, spec) {
      const bad = containersOf(spec).filter(({ securityContext }) => securityContext?.privileged);
      return bad.length === 0
        ? undefined
        : { reason: 'privileged', detail: `${namesOf(bad)} must not set securityContext.privileged=true` };
    },
  },
  {
    id: 'procMount',
    level: 'baseline',
    check(_metadata, spec) {
      const bad = containersOf(spec).filter(
        ({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default',
      );
      if (bad.length === 0) return undefined;
      const values = sortedSet(bad.map(({ securityContext }) => securityContext?.procMount ?? ''));
      return {
        reason: 'procMount',
        detail: `${namesOf(bad)} must not set securityContext.procMount to ${quotedList(values)}`,
      };
    },
  },
  {
    id: 'seLinuxOptions',
    level: 'baseline',
    check(_metadata, spec) {
      const bad = containersOf(spec).filter(({ securityContext }) => isForbidden(securityContext?.seLinuxOptions));
      const podOptions = spec.securityContext?.seLinuxOptions;
      const podBad = isForbidden(podOptions);
      if (!podBad && bad.length === 0) return undefined;
      const options = [podOptions, ...bad.map(({ securityContext }) => securityContext?.seLinuxOptions)];
      const types = sortedSet(options.map((one) => one?.type ?? '').filter((type) => !allowedSelinuxTypes.has(type)));
      const faults = [
        ...(types.length > 0 ? [`${plural('type', types.length)} ${quotedList(types)}`] : []),
        ...(options.some((one) => one?.user) ? ['user may not be set'] : []),
        ...(options.some((one) => one?.role) ? ['role may not be set'] : []),
      ];
      return {
        reason: 'seLinuxOptions',
        detail: `${settersOf(podBad, bad)} set forbidden securityContext.seLinuxOptions: ${faults.join('; ')}`,
      };
    },
  },
  {
    id: 'seccompProfile_baseline',
    level: 'baseline',
    check(_metadata, spec) {
      const unconfined = (container: Container) => container.securityContext?.seccompProfile?.type === 'Unconfined';
      const bad = containersOf(spec).filter(unconfined);
      const podBad = spec.securityContext?.seccompProfile?.type === 'Unconfined';
      if (bad.length === 0 && !podBad) return undefined;
      return {
        reason: 'seccompProfile',
        detail: `${settersOf(podBad, bad)} must not set securityContext.seccompProfile.type to "Unconfined"`,
      };
    },
  },
  {
    id: 'sysctls',
    level: 'baseline',
    check(_metadata, spec) {
      const bad = (spec.securityContext?.sysctls ?? [])
        .map(({ name }) => name)
        .filter((name) => !allowedSysctls.has(name));
      return bad.length === 0 ? undefined : { reason: plural('forbidden sysctl', bad.length), detail: bad.join(', ') };
    },
  },
  {
    id: 'windowsHostProcess',
    level: 'baseline',
    check(_metadata, spec) {
      const bad = containersOf(spec).filter(({ securityContext }) => securityContext?.windowsOptions?.hostProcess);
      const podBad = spec.securityContext?.windowsOptions?.hostProcess === true;
      if (bad.length === 0 && !podBad) return undefined;
      const who = settersOf(podBad, bad);
      return { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
    },
  },
];

function isForbidden(options: corev1.SELinuxOptions | undefined): boolean {
  if (!options) return false;
  return !allowedSelinuxTypes.has(options.type ?? '') || Boolean(options.user) || Boolean(options.role);
}

/** Hosts of a container's probes and hooks other than the pod itself. */
function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] {
  const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
  return handlers
    .flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host])
    .filter((host): host is string => Boolean(host));
}
