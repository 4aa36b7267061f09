import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container, Pod, PodSpec, Volume, VolumeMount } from '@coracle/api';
import { busybox } from './containerd.js';

/** One pod that ends, what it prints, and the conformance test of sig-storage that covers it. */
export interface StorageCase {
  readonly name: string;
  readonly pod: Pod;
  readonly prints: RegExp;
}

interface CaseInput {
  readonly volumes: Volume[];
  readonly script: string;
  readonly prints: RegExp;
  readonly mounts?: VolumeMount[];
  readonly spec?: Partial<PodSpec>;
  readonly container?: Partial<Container>;
}

const cases: StorageCase[] = [];

/** Every volume is mounted below `/v` by its name, unless other mounts are given. */
function add(name: string, { volumes, script, prints, mounts, spec, container }: CaseInput): void {
  const volumeMounts = mounts ?? volumes.map((one) => ({ name: one.name, mountPath: `/v/${one.name}` }));
  const main: Container = { name: 'c', image: busybox, command: ['sh', '-c', script], volumeMounts, ...container };
  const metadata = {
    name: `storage-${cases.length}`,
    labels: { suite: 'storage', tier: 'front' },
    annotations: { note: 'hello' },
  };
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { restartPolicy: 'Never', automountServiceAccountToken: false, containers: [main], volumes, ...spec },
  };
  cases.push({ name, pod, prints });
}

/** What all cases read. */
export const objects = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elsewhere' } },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cm' },
    data: { 'data-1': 'value-1', 'data-2': 'value-2' },
    binaryData: { dump: '3q2+7w==' },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'sec' },
    stringData: { 'data-1': 'value-1', 'data-2': 'value-2' },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'sec', namespace: 'elsewhere' },
    stringData: { 'data-1': 'other' },
  },
];

const items = [{ key: 'data-2', path: 'path/to/data-2' }];
const itemsWithMode = [{ key: 'data-2', path: 'path/to/data-2', mode: 0o400 }];
const nonRoot = { securityContext: { runAsUser: 1000 } };
const readOne = 'cat /v/v/data-1';
const readMapped = 'cat /v/v/path/to/data-2';
const modeOf = (path: string) => `stat -L -c %a ${path}`;
const both = [
  { name: 'v', mountPath: '/v/v' },
  { name: 'w', mountPath: '/v/w' },
];

/** The same for config maps and secrets, by themselves and projected. */
function addObjectCases(prefix: string, volume: (more?: object, name?: string) => Volume): void {
  add(`${prefix} should be consumable from pods in volume`, {
    volumes: [volume()],
    script: readOne,
    prints: /^value-1$/,
  });
  add(`${prefix} should be consumable from pods in volume with mappings`, {
    volumes: [volume({ items })],
    script: readMapped,
    prints: /^value-2$/,
  });
  add(`${prefix} should be consumable from pods in volume with defaultMode set`, {
    volumes: [volume({ defaultMode: 0o400 })],
    script: `${readOne}; ${modeOf('/v/v/data-1')}`,
    prints: /^value-1400$/,
  });
  add(`${prefix} should be consumable from pods in volume with mappings and Item mode set`, {
    volumes: [volume({ items: itemsWithMode })],
    script: `${readMapped}; ${modeOf('/v/v/path/to/data-2')}`,
    prints: /^value-2400$/,
  });
  add(`${prefix} should be consumable in multiple volumes in the same pod`, {
    volumes: [volume(), volume({}, 'w')],
    mounts: both,
    script: 'cat /v/v/data-1 /v/w/data-1',
    prints: /^value-1value-1$/,
  });
}

const configMap = (more: object = {}, name = 'v'): Volume => ({ name, configMap: { name: 'cm', ...more } });
const secret = (more: object = {}, name = 'v'): Volume => ({ name, secret: { secretName: 'sec', ...more } });
const projected =
  (kind: 'configMap' | 'secret') =>
  (
    { defaultMode, ...more }: { readonly defaultMode?: number; readonly items?: object[] } = {},
    name = 'v',
  ): Volume => ({
    name,
    projected: {
      ...(defaultMode !== undefined && { defaultMode }),
      sources: [{ [kind]: { name: kind === 'secret' ? 'sec' : 'cm', ...more } }],
    },
  });

addObjectCases('ConfigMap', configMap);
addObjectCases('Secrets', secret);
addObjectCases('Projected configMap', projected('configMap'));
addObjectCases('Projected secret', projected('secret'));

for (const [prefix, volume] of [
  ['ConfigMap', configMap],
  ['Projected configMap', projected('configMap')],
] as const) {
  add(`${prefix} should be consumable from pods in volume as non-root`, {
    volumes: [volume()],
    spec: nonRoot,
    script: `id -u; ${readOne}`,
    prints: /^1000\nvalue-1$/,
  });
  add(`${prefix} should be consumable from pods in volume with mappings as non-root`, {
    volumes: [volume({ items })],
    spec: nonRoot,
    script: readMapped,
    prints: /^value-2$/,
  });
}
add('ConfigMap binary data should be reflected in volume', {
  volumes: [configMap()],
  script: 'hexdump -C /v/v/dump',
  prints: /de ad be ef/,
});

for (const [prefix, volume] of [
  ['Secrets', secret],
  ['Projected secret', projected('secret')],
] as const)
  add(`${prefix} should be consumable from pods in volume as non-root with defaultMode and fsGroup set`, {
    volumes: [volume({ defaultMode: 0o440 })],
    spec: { securityContext: { runAsUser: 1000, fsGroup: 1001 } },
    script: `${readOne}; stat -L -c "%a %g" /v/v/data-1`,
    prints: /^value-1440 1001$/,
  });
add(
  'Secrets should be able to mount in a volume regardless of a different secret existing with same name in different namespace',
  {
    volumes: [secret()],
    script: readOne,
    prints: /^value-1$/,
  },
);

const resources = { requests: { cpu: '250m', memory: '32Mi' }, limits: { cpu: '1250m', memory: '64Mi' } };
const resource = (name: string) => ({ path: 'f', resourceFieldRef: { containerName: 'c', resource: name } });
const podName = { path: 'f', fieldRef: { fieldPath: 'metadata.name' } };
const downward = (item: object, more: object = {}): Volume => ({
  name: 'v',
  downwardAPI: { items: [item as never], ...more },
});
const projectedDownward = (item: object, more: object = {}): Volume => ({
  name: 'v',
  projected: { sources: [{ downwardAPI: { items: [item as never] } }], ...more },
});
for (const [prefix, volume] of [
  ['Downward API volume', downward],
  ['Projected downwardAPI', projectedDownward],
] as const) {
  const script = 'cat /v/v/f';
  add(`${prefix} should provide podname only`, { volumes: [volume(podName)], script, prints: /^storage-\d+$/ });
  add(`${prefix} should set DefaultMode on files`, {
    volumes: [volume(podName, { defaultMode: 0o400 })],
    script: modeOf('/v/v/f'),
    prints: /^400$/,
  });
  add(`${prefix} should set mode on item file`, {
    volumes: [volume({ ...podName, mode: 0o400 })],
    script: modeOf('/v/v/f'),
    prints: /^400$/,
  });
  add(`${prefix} should provide container's cpu limit`, {
    volumes: [volume(resource('limits.cpu'))],
    container: { resources },
    script,
    prints: /^2$/,
  });
  add(`${prefix} should provide container's cpu request`, {
    volumes: [volume(resource('requests.cpu'))],
    container: { resources },
    script,
    prints: /^1$/,
  });
  add(`${prefix} should provide container's memory limit`, {
    volumes: [volume(resource('limits.memory'))],
    container: { resources },
    script,
    prints: /^67108864$/,
  });
  add(`${prefix} should provide container's memory request`, {
    volumes: [volume(resource('requests.memory'))],
    container: { resources },
    script,
    prints: /^33554432$/,
  });
  add(`${prefix} should provide node allocatable (cpu) as default cpu limit if the limit is not set`, {
    volumes: [volume(resource('limits.cpu'))],
    script,
    prints: /^\d+$/,
  });
  add(`${prefix} should provide node allocatable (memory) as default memory limit if the limit is not set`, {
    volumes: [volume(resource('limits.memory'))],
    script,
    prints: /^\d{8,}$/,
  });
}
add('Projected combined should project all components that make up the projection API', {
  volumes: [
    {
      name: 'v',
      projected: {
        sources: [
          { configMap: { name: 'cm', items: [{ key: 'data-1', path: 'from-cm' }] } },
          { secret: { name: 'sec', items: [{ key: 'data-2', path: 'from-secret' }] } },
          { downwardAPI: { items: [podName] } },
        ],
      },
    },
  ],
  script: 'cat /v/v/from-cm /v/v/from-secret /v/v/f',
  prints: /^value-1value-2storage-\d+$/,
});

for (const medium of ['default', 'tmpfs'] as const) {
  const volume: Volume = { name: 'v', emptyDir: medium === 'tmpfs' ? { medium: 'Memory' } : {} };
  const isMemory = medium === 'tmpfs' ? 'grep -c " /v/v tmpfs " /proc/mounts' : 'echo 1';
  for (const user of ['root', 'non-root'] as const)
    for (const mode of ['0644', '0666', '0777'])
      add(`EmptyDir volumes should support (${user},${mode},${medium})`, {
        volumes: [volume],
        spec: user === 'root' ? {} : nonRoot,
        script: `${isMemory}; echo made > /v/v/f && chmod ${mode} /v/v/f && cat /v/v/f && stat -c %a /v/v/f`,
        prints: new RegExp(`^1\nmade\n${mode.slice(1)}$`),
      });
  add(`EmptyDir volumes volume on ${medium === 'tmpfs' ? 'tmpfs' : 'default medium'} should have the correct mode`, {
    volumes: [volume],
    script: `${isMemory}; stat -c %a /v/v`,
    prints: medium === 'tmpfs' ? /^1\n1?777$/ : /^1\n777$/,
  });
}
add('EmptyDir volumes pod should support shared volumes between containers', {
  volumes: [{ name: 'v', emptyDir: {} }],
  spec: {
    initContainers: [
      {
        name: 'i',
        image: busybox,
        command: ['sh', '-c', 'echo shared > /v/f'],
        volumeMounts: [{ name: 'v', mountPath: '/v' }],
      },
    ],
  },
  script: 'cat /v/v/f',
  prints: /^shared$/,
});
add('EmptyDir wrapper volumes should not conflict', {
  volumes: [configMap(), secret({}, 'w')],
  mounts: both,
  script: 'cat /v/v/data-1 /v/w/data-2',
  prints: /^value-1value-2$/,
});
add('EmptyDir wrapper volumes should not cause race condition when used for configmaps', {
  volumes: Array.from({ length: 50 }, (_, index) => configMap({}, `v${index}`)),
  script: 'cat /v/*/data-1 | wc -c',
  prints: /^350$/,
});

const onSubPath = (
  prefix: string,
  volume: Volume,
  { path, prints }: { readonly path: string; readonly prints: RegExp },
) =>
  add(`Subpath Atomic writer volumes should support subpaths with ${prefix}`, {
    volumes: [volume],
    mounts: [{ name: 'v', mountPath: '/part', subPath: path }],
    script: 'cat /part; sleep 0.3; cat /part',
    prints,
  });
onSubPath('configmap pod', configMap(), { path: 'data-1', prints: /^value-1value-1$/ });
onSubPath('secret pod', secret(), { path: 'data-1', prints: /^value-1value-1$/ });
onSubPath('downward pod', downward(podName), { path: 'f', prints: /^(storage-\d+){2}$/ });
onSubPath('projected pod', projected('secret')({ items }), {
  path: 'path/to/data-2',
  prints: /^value-2value-2$/,
});
add('Subpath Atomic writer volumes should support subpaths with configmap pod with mountPath of existing file', {
  volumes: [configMap()],
  // A file that the runtime mounts too.
  mounts: [{ name: 'v', mountPath: '/etc/resolv.conf', subPath: 'data-1' }],
  script: 'cat /etc/resolv.conf',
  prints: /^value-1$/,
});

/** The folder of the machine that a case makes. */
export const hostFolder: string = mkdtempSync(join(tmpdir(), 'coracle-storage-case-'));

/** What the conformance tests do not cover. */
add('a subPathExpr, a hostPath and the service account token', {
  volumes: [
    { name: 'host', hostPath: { path: hostFolder, type: 'DirectoryOrCreate' } },
    { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 600 } }] } },
  ],
  mounts: [
    { name: 'host', mountPath: '/h', subPathExpr: '$(ME)' },
    { name: 'token', mountPath: '/t' },
  ],
  container: { env: [{ name: 'ME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
  script: 'echo x > /h/f; ls /h; cut -c1-2 /t/token',
  prints: /^f\ney$/,
});
add('the size limit of memory', {
  volumes: [{ name: 'v', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }],
  script: 'dd if=/dev/zero of=/v/v/f bs=1k count=2000 2>/dev/null; echo $?; wc -c < /v/v/f',
  prints: /^1\n1048576$/,
});
add('optional objects that are missing', {
  volumes: [configMap({ name: 'none', optional: true })],
  script: 'ls -A /v/v | grep -v "^\\.\\." | wc -l',
  prints: /^0$/,
});

export const storageCases: readonly StorageCase[] = cases;
