import type { Container } from '@coracle/api';
import { type Check, containersOf, namesOf, plural, quotedList } from './check.js';

const allowedCapabilities = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
);
const allowedSelinuxTypes = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t']);
const allowedSysctls = new Set(
  (
    'kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.tcp_syncookies net.ipv4.ping_group_range net.ipv4.ip_unprivileged_port_start ' +
    'net.ipv4.ip_local_reserved_ports net.ipv4.tcp_keepalive_time net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl net.ipv4.tcp_keepalive_probes ' +
    'net.ipv4.tcp_rmem net.ipv4.tcp_wmem'
  ).split(' '),
);

/** What keeps a pod from taking over its node by known ways. */
export const baselineChecks: readonly Check[] = [
  {
    id: 'windowsHostProcess',
    level: 'baseline',
    check(_metadata, spec) {
      const bad = containersOf(spec).filter(({ securityContext }) => securityContext?.windowsOptions?.hostProcess);
      const podBad = spec.securityContext?.windowsOptions?.hostProcess === true;
      if (bad.length === 0 && !podBad) return undefined;
      const who = [...(podBad ? ['pod'] : []), ...(bad.length > 0 ? [namesOf(bad)] : [])].join(' and ');
      return { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
    },
  },
  {
    id: 'appArmorProfile',
    level: 'baseline',
    check(metadata, spec) {
      const prefix = 'container.apparmor.security.beta.kubernetes.io/';
      const bad = Object.entries(metadata.annotations ?? {}).filter(
        ([key, value]) =>
          key.startsWith(prefix) && value !== '' && value !== 'runtime/default' && !value.startsWith('localhost/'),
      );
      const fields = [spec.securityContext, ...containersOf(spec).map(({ securityContext }) => securityContext)]
        .map((context) => context?.appArmorProfile?.type)
        .filter((type) => type === 'Unconfined');
      if (bad.length + fields.length === 0) return undefined;
      const named = [...bad.map(([key, value]) => `${key}=${JSON.stringify(value)}`)].sort();
      const detail =
        fields.length > 0
          ? 'must not set AppArmor profile type to "Unconfined"'
          : `${plural('annotation', bad.length)} ${named.join(', ')}`;
      return { reason: `forbidden AppArmor ${plural('profile', bad.length + fields.length)}`, detail };
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
      const ports = [...new Set(bad.flatMap(portsOf))].sort((a, b) => a - b);
      const uses = bad.length === 1 ? 'uses' : 'use';
      return {
        reason: 'hostPort',
        detail: `${namesOf(bad)} ${uses} ${plural('hostPort', ports.length)} ${ports.join(', ')}`,
      };
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
      const values = [...new Set(bad.map(({ securityContext }) => securityContext?.procMount ?? ''))];
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
      const contexts = [spec.securityContext, ...containersOf(spec).map(({ securityContext }) => securityContext)];
      const options = contexts.flatMap((context) => (context?.seLinuxOptions ? [context.seLinuxOptions] : []));
      const types = options.map(({ type }) => type ?? '').filter((type) => !allowedSelinuxTypes.has(type));
      const users = options.some(({ user }) => user);
      const roles = options.some(({ role }) => role);
      if (types.length === 0 && !users && !roles) return undefined;
      const faults = [
        ...(types.length > 0 ? [`${plural('type', types.length)} ${quotedList([...new Set(types)])}`] : []),
        ...(users ? ['user may not be set'] : []),
        ...(roles ? ['role may not be set'] : []),
      ];
      return {
        reason: 'seLinuxOptions',
        detail: `pod or containers set forbidden securityContext.seLinuxOptions: ${faults.join('; ')}`,
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
      const who = [...(podBad ? ['pod'] : []), ...(bad.length > 0 ? [namesOf(bad)] : [])].join(' and ');
      return {
        reason: 'seccompProfile',
        detail: `${who} must not set securityContext.seccompProfile.type to "Unconfined"`,
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
      return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
    },
  },
];
