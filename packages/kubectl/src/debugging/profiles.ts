import { type Fields, recordAt, recordsAt, textsAt } from '../values.js';

export type DebugStyle = 'ephemeral' | 'copy' | 'node';

/** The changes of a profile to the debug container and to its pod. */
export interface ProfileResult {
  readonly pod: Fields;
  readonly container: Fields;
}

const profiles = ['legacy', 'general', 'baseline', 'restricted', 'netadmin', 'sysadmin'] as const;
export type Profile = (typeof profiles)[number];

export function isProfile(name: string): name is Profile {
  return (profiles as readonly string[]).includes(name);
}

/** Applies a profile. The pod is the copy, or the pod on the node; for ephemeral containers it stays as it is. */
export function applyProfile(profile: Profile, style: DebugStyle, { pod, container }: ProfileResult): ProfileResult {
  const spec = recordAt(pod, 'spec');
  switch (profile) {
    case 'legacy':
      return style === 'node' ? { pod: withHost(pod, spec), container: mounted(container) } : { pod, container };
    case 'general':
      if (style === 'node') return { pod: withHost(pod, spec), container: mounted(container) };
      return {
        pod: style === 'copy' ? shared(pod, spec) : pod,
        container: withCapabilities(container, ['SYS_PTRACE']),
      };
    case 'baseline':
      return { pod: style === 'copy' ? shared(pod, spec) : pod, container };
    case 'restricted':
      return { pod: style === 'copy' ? shared(pod, spec) : pod, container: restricted(container) };
    case 'netadmin':
      if (style === 'node')
        return { pod: withHost(pod, spec), container: withCapabilities(container, ['NET_ADMIN', 'NET_RAW']) };
      return {
        pod: style === 'copy' ? shared(pod, spec) : pod,
        container: withCapabilities(container, ['NET_ADMIN', 'NET_RAW']),
      };
    case 'sysadmin':
      return {
        pod: style === 'node' ? withHost(pod, spec) : style === 'copy' ? shared(pod, spec) : pod,
        container: {
          ...(style === 'node' ? mounted(container) : container),
          securityContext: { ...recordAt(container, 'securityContext'), privileged: true },
        },
      };
    default:
      return profile satisfies never;
  }
}

function withHost(pod: Fields, spec: Fields): Fields {
  const volumes = [...recordsAt(spec, 'volumes'), { name: 'host-root', hostPath: { path: '/' } }];
  return { ...pod, spec: { ...spec, hostNetwork: true, hostPID: true, hostIPC: true, volumes } };
}

function mounted(container: Fields): Fields {
  return {
    ...container,
    volumeMounts: [...recordsAt(container, 'volumeMounts'), { name: 'host-root', mountPath: '/host' }],
  };
}

function shared(pod: Fields, spec: Fields): Fields {
  return 'shareProcessNamespace' in spec ? pod : { ...pod, spec: { ...spec, shareProcessNamespace: true } };
}

function withCapabilities(container: Fields, add: readonly string[]): Fields {
  const security = recordAt(container, 'securityContext');
  const own = textsAt(security, 'capabilities', 'add');
  return {
    ...container,
    securityContext: { ...security, capabilities: { ...recordAt(security, 'capabilities'), add: [...own, ...add] } },
  };
}

function restricted(container: Fields): Fields {
  return {
    ...container,
    securityContext: {
      ...recordAt(container, 'securityContext'),
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
      allowPrivilegeEscalation: false,
      seccompProfile: { type: 'RuntimeDefault' },
    },
  };
}
