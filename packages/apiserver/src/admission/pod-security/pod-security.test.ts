import type { Container, PodSpec } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { describeViolations, evaluate } from './evaluate.js';

interface Case {
  readonly name: string;
  readonly spec: Partial<PodSpec>;
  readonly annotations?: Record<string, string>;
  /** The message, or the empty text. */
  readonly says: string;
}

const named = (name: string, more: Partial<Container> = {}): Container => ({ name, ...more });
const secured = (name: string, securityContext: Container['securityContext']): Container =>
  named(name, { ...(securityContext && { securityContext }) });
/** A container that meets every rule. */
const hardened = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

function says(level: 'baseline' | 'restricted', { spec, annotations }: Case): string {
  return describeViolations(
    evaluate({ level, minor: 36 }, { ...(annotations && { annotations }) }, { containers: [named('a')], ...spec }),
  );
}

const annotation = 'container.apparmor.security.beta.kubernetes.io/a';
const baseline: Record<string, Case[]> = {
  'AppArmor profiles': [
    { name: 'the runtime’s own', spec: { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }, says: '' },
    {
      name: 'none, by the pod',
      spec: { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
      says: 'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
    },
    {
      name: 'none, by a container',
      spec: { containers: [secured('a', { appArmorProfile: { type: 'Unconfined' } })] },
      says: 'forbidden AppArmor profile (container "a" must not set AppArmor profile type to "Unconfined")',
    },
    { name: 'a local one, by annotation', spec: {}, annotations: { [annotation]: 'localhost/mine' }, says: '' },
    {
      name: 'none, by annotation',
      spec: {},
      annotations: { [annotation]: 'unconfined' },
      says: `forbidden AppArmor profile (annotation must not set AppArmor profile type to "${annotation}="unconfined"")`,
    },
  ],
  capabilities: [
    {
      name: 'ordinary ones',
      spec: { containers: [secured('a', { capabilities: { add: ['CHOWN', 'KILL'] } })] },
      says: '',
    },
    {
      name: 'others',
      spec: {
        containers: [
          secured('a', { capabilities: { add: ['SYS_ADMIN', 'NET_RAW'] } }),
          secured('b', { capabilities: { add: ['NET_RAW'] } }),
        ],
      },
      says: 'non-default capabilities (containers "a", "b" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
    },
  ],
  'host namespaces': [
    {
      name: 'all of them',
      spec: { hostNetwork: true, hostPID: true, hostIPC: true },
      says: 'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)',
    },
  ],
  'host paths': [
    {
      name: 'one',
      spec: {
        volumes: [
          { name: 'v', hostPath: { path: '/' } },
          { name: 'w', emptyDir: {} },
        ],
      },
      says: 'hostPath volumes (volume "v")',
    },
    {
      name: 'two',
      spec: {
        volumes: [
          { name: 'v', hostPath: { path: '/' } },
          { name: 'w', hostPath: { path: '/' } },
        ],
      },
      says: 'hostPath volumes (volumes "v", "w")',
    },
  ],
  'host ports': [
    {
      name: 'zero is none',
      spec: { containers: [named('a', { ports: [{ containerPort: 80, hostPort: 0 }] })] },
      says: '',
    },
    {
      name: 'one',
      spec: { containers: [named('a', { ports: [{ containerPort: 80, hostPort: 80 }] })] },
      says: 'hostPort (container "a" uses hostPort 80)',
    },
    {
      name: 'several, in the order of text',
      spec: {
        containers: [
          named('a', { ports: [{ containerPort: 1, hostPort: 80 }] }),
          named('b', { ports: [{ containerPort: 1, hostPort: 443 }] }),
        ],
      },
      says: 'hostPort (containers "a", "b" use hostPorts 443, 80)',
    },
  ],
  'hosts of probes and hooks': [
    {
      name: 'the pod itself',
      spec: { containers: [named('a', { livenessProbe: { httpGet: { port: 80 } } })] },
      says: '',
    },
    {
      name: 'others',
      spec: {
        containers: [
          named('a', {
            livenessProbe: { httpGet: { port: 80, host: '127.0.0.1' } },
            readinessProbe: { tcpSocket: { port: 80, host: '::1' } },
            lifecycle: { preStop: { httpGet: { port: 80, host: 'localhost' } } },
          }),
        ],
      },
      says: 'probe or lifecycle host (container "a" uses probe or lifecycle hosts "127.0.0.1", "::1", "localhost")',
    },
  ],
  privileged: [
    {
      name: 'containers of every kind',
      spec: {
        initContainers: [secured('i', { privileged: true })],
        containers: [secured('a', { privileged: true })],
        ephemeralContainers: [secured('e', { privileged: true })],
      },
      says: 'privileged (containers "i", "a", "e" must not set securityContext.privileged=true)',
    },
  ],
  '/proc': [
    {
      name: 'laid open',
      spec: { containers: [secured('a', { procMount: 'Unmasked' })] },
      says: 'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
    },
  ],
  seccomp: [
    {
      name: 'none, by pod and container',
      spec: {
        securityContext: { seccompProfile: { type: 'Unconfined' } },
        containers: [secured('a', { seccompProfile: { type: 'Unconfined' } })],
      },
      says: 'seccompProfile (pod and container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
    },
    { name: 'unset', spec: {}, says: '' },
  ],
  SELinux: [
    {
      name: 'types of containers',
      spec: { securityContext: { seLinuxOptions: { type: 'container_engine_t', level: 's0' } } },
      says: '',
    },
    {
      name: 'others',
      spec: {
        securityContext: { seLinuxOptions: { type: 'foo', user: 'u', role: 'r' } },
        containers: [
          secured('a', { seLinuxOptions: { type: 'bar' } }),
          secured('b', { seLinuxOptions: { type: 'container_t' } }),
        ],
      },
      says: 'seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: types "bar", "foo"; user may not be set; role may not be set)',
    },
    {
      name: 'a user alone',
      spec: { containers: [secured('a', { seLinuxOptions: { user: 'u' } })] },
      says: 'seLinuxOptions (container "a" set forbidden securityContext.seLinuxOptions: user may not be set)',
    },
  ],
  sysctls: [
    {
      name: 'safe ones',
      spec: { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem', value: '1' }] } },
      says: '',
    },
    {
      name: 'one other',
      spec: { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
      says: 'forbidden sysctl (kernel.msgmax)',
    },
    {
      name: 'others',
      spec: {
        securityContext: {
          sysctls: [
            { name: 'net.core.somaxconn', value: '1' },
            { name: 'kernel.msgmax', value: '1' },
          ],
        },
      },
      says: 'forbidden sysctls (net.core.somaxconn, kernel.msgmax)',
    },
  ],
  'host processes of Windows': [
    {
      name: 'by the pod',
      spec: { securityContext: { windowsOptions: { hostProcess: true } } },
      says: 'hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
    },
  ],
};

describe.each(Object.entries(baseline))('baseline: %s', (_title, cases) => {
  test.each(cases)('$name', (one) => {
    expect(says('baseline', one)).toBe(one.says);
  });
});

const one = (change: Partial<Container['securityContext'] & object>) => ({
  containers: [secured('a', { ...hardened, ...change } as never)],
});
const without = (field: keyof typeof hardened) => {
  const { [field]: _left, ...rest } = hardened;
  return { containers: [secured('a', rest as never)] };
};
const restricted: Record<string, Case[]> = {
  'a pod that meets everything': [{ name: 'passes', spec: one({}), says: '' }],
  'privilege escalation': [
    {
      name: 'must be ruled out',
      spec: without('allowPrivilegeEscalation'),
      says: 'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)',
    },
    {
      name: 'not on Windows',
      spec: { ...one({ runAsNonRoot: true }), ...without('allowPrivilegeEscalation'), os: { name: 'windows' } },
      says: '',
    },
  ],
  capabilities: [
    {
      name: 'must all be dropped',
      spec: without('capabilities'),
      says: 'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"])',
    },
    { name: 'one may be added', spec: one({ capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } }), says: '' },
    {
      name: 'no other',
      spec: one({ capabilities: { drop: [], add: ['CHOWN'] } }),
      says: 'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include "CHOWN" in securityContext.capabilities.add)',
    },
  ],
  volumes: [
    {
      name: 'ordinary ones',
      spec: {
        ...one({}),
        volumes: [
          { name: 'v', configMap: { name: 'c' } },
          { name: 'w', image: { reference: 'r' } },
        ],
      },
      says: '',
    },
    {
      name: 'others, and host paths are said once',
      spec: {
        ...one({}),
        volumes: [
          { name: 'v', hostPath: { path: '/' } },
          { name: 'w', nfs: { server: 's', path: '/' } },
        ],
      },
      says: 'restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")',
    },
  ],
  'running as root': [
    {
      name: 'must be ruled out',
      spec: without('runAsNonRoot'),
      says: 'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)',
    },
    {
      name: 'may be ruled out by the pod',
      spec: { ...without('runAsNonRoot'), securityContext: { runAsNonRoot: true } },
      says: '',
    },
    {
      name: 'may not be allowed by either',
      spec: { ...one({ runAsNonRoot: false }), securityContext: { runAsNonRoot: false } },
      says: 'runAsNonRoot != true (pod and container "a" must not set securityContext.runAsNonRoot=false)',
    },
    {
      name: 'by number',
      spec: { ...one({ runAsUser: 0 }), securityContext: { runAsUser: 0 } },
      says: 'runAsUser=0 (pod and container "a" must not set runAsUser=0)',
    },
  ],
  seccomp: [
    {
      name: 'must be set',
      spec: without('seccompProfile'),
      says: 'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    },
    {
      name: 'by the pod is enough',
      spec: { ...without('seccompProfile'), securityContext: { seccompProfile: { type: 'Localhost' } } },
      says: '',
    },
    {
      name: 'must not be none',
      spec: one({ seccompProfile: { type: 'Unconfined' } }),
      says: 'seccompProfile (container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
    },
  ],
};

describe.each(Object.entries(restricted))('restricted: %s', (_title, cases) => {
  test.each(cases)('$name', (each) => {
    expect(says('restricted', each)).toBe(each.says);
  });
});

test('all violations are reported, baseline first', () => {
  const spec = { hostNetwork: true, containers: [secured('a', { privileged: true })] };

  expect(evaluate({ level: 'restricted', minor: 36 }, {}, spec).map(({ reason }) => reason)).toEqual([
    'host namespaces',
    'privileged',
    'allowPrivilegeEscalation != false',
    'unrestricted capabilities',
    'runAsNonRoot != true',
    'seccompProfile',
  ]);
  expect(evaluate({ level: 'privileged', minor: 36 }, {}, spec)).toEqual([]);
});
