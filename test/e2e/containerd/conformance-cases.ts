import type { TestImage } from './busybox-image.js';
import { busybox } from './containerd.js';
import { podOf } from './real-node.js';

/** A pod, and its expected result on the node. */
export interface ConformanceCase {
  readonly name: string;
  readonly pod: { readonly metadata: { readonly name: string } };
  /** A JSONPath of the pod, and the expected value. */
  readonly path?: string;
  readonly becomes?: RegExp;
  /** The expected log after its end. */
  readonly prints?: RegExp;
}

export const conformanceObjects: readonly object[] = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings' },
    data: { colour: 'red', 'not-a-name': 'x' },
  },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { key: 'value-1' } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'early' },
    spec: { ports: [{ port: 8765 }], selector: { app: 'none' } },
  },
  {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'other' },
    handler: 'other',
    overhead: { podFixed: { cpu: '10m', memory: '8Mi' } },
  },
];

const terminated = '{.status.containerStatuses[0].state.terminated';
const fromLogs = { terminationMessagePolicy: 'FallbackToLogsOnError' };
const fieldOf = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
const amountOf = (name: string, resource: string) => ({ name, valueFrom: { resourceFieldRef: { resource } } });
const limits = { resources: { requests: { cpu: '250m', memory: '16Mi' }, limits: { cpu: '1', memory: '64Mi' } } };
const volume = { volumes: [{ name: 'v', emptyDir: {} }] };

const fromFile = (key: string, more: object = {}) => ({
  name: key,
  valueFrom: { fileKeyRef: { volumeName: 'v', path: 'file.env', key, ...more } },
});
/** An init container with the volume. */
const writer = (script: string) => ({
  name: 'writer',
  image: busybox,
  command: ['sh', '-c', script],
  volumeMounts: [{ name: 'v', mountPath: '/v' }],
});

/** An image with an entry point, and one whose user has a name. */
const echo = 'localhost/coracle/echo:1';
const named = 'localhost/coracle/named:1';
export const conformanceImages: readonly TestImage[] = [
  { name: echo, command: ['default', 'arguments'], config: { Entrypoint: ['echo', 'entry'] } },
  { name: named, user: 'nobody' },
];

/** A pod whose container has the given image and settings only. */
function podOfImage(name: string, image: string, container: object = {}, spec: object = {}): ConformanceCase['pod'] {
  return pod(name, '', {}, { containers: [{ name: 'c', image, ...container }], ...spec });
}

/** A pod of one container that runs to its end, unless its spec says otherwise. */
function pod(name: string, script: string, container: object = {}, spec: object = {}): ConformanceCase['pod'] {
  return podOf(name, busybox, script, spec, container) as ConformanceCase['pod'];
}

export const conformanceCases: readonly ConformanceCase[] = [
  {
    name: 'Override hostname of Pod: hostnameOverride is the hostname, whatever else the pod is called',
    pod: pod(
      'overridden',
      'hostname; hostname -f',
      {},
      { hostname: 'a', subdomain: 'b', hostnameOverride: 'c.example.host' },
    ),
    prints: /^c\.example\.host\nc\.example\.host$/m,
  },
  {
    name: 'FileKeyRef should be consumable, and optional keys need not be there',
    pod: pod(
      'env-file',
      'echo "$A-$B"',
      { env: [fromFile('A'), fromFile('B', { optional: true })] },
      { ...volume, initContainers: [writer("echo A=\\'1\\' > /v/file.env")] },
    ),
    prints: /^1-$/m,
  },
  {
    name: 'FileKeyRef should fail when a key is missing',
    pod: pod(
      'env-file-missing',
      'true',
      { env: [fromFile('B')] },
      { ...volume, initContainers: [writer("echo A=\\'1\\' > /v/file.env")] },
    ),
    path: '{.status.containerStatuses[0].state.waiting.reason}',
    becomes: /^CreateContainerConfigError$/,
  },
  {
    name: 'Containers should use the image defaults if command and args are blank',
    pod: podOfImage('image-defaults', echo),
    prints: /^entry default arguments$/m,
  },
  {
    name: "Containers should be able to override the image's default arguments (container cmd)",
    pod: podOfImage('own-arguments', echo, { args: ['override', 'arguments'] }),
    prints: /^entry override arguments$/m,
  },
  {
    name: "Containers should be able to override the image's default command (container entrypoint)",
    pod: podOfImage('own-command', echo, { command: ['echo', 'override'] }),
    prints: /^override$/m,
  },
  {
    name: "Containers should be able to override the image's default command and arguments",
    pod: podOfImage('own-both', echo, { command: ['echo', 'override'], args: ['both'] }),
    prints: /^override both$/m,
  },
  {
    name: 'Security Context should run the container as the user that the image names',
    pod: podOfImage('named-user', named, { command: ['id', '-u'] }),
    prints: /^65534$/m,
  },
  {
    name: 'Security Context should not run as non-root an image whose user has a name',
    pod: podOfImage('named-non-root', named, { command: ['id'] }, { securityContext: { runAsNonRoot: true } }),
    path: '{.status.containerStatuses[0].state.waiting.message}',
    becomes: /^container has runAsNonRoot and image has non-numeric user \(nobody\), cannot verify user is non-root /,
  },
  {
    name: 'ImageVolume should show the files of an image, read-only',
    pod: pod(
      'image-volume',
      'head -n 1 /volume/etc/passwd; cat /part/group; touch /volume/x || echo refused',
      {
        volumeMounts: [
          { name: 'v', mountPath: '/volume' },
          { name: 'v', mountPath: '/part', subPath: 'etc' },
        ],
      },
      { volumes: [{ name: 'v', image: { reference: named } }] },
    ),
    prints: /^root:x:0:0:(?=[\s\S]*^nobody:x:65534:$)(?=[\s\S]*^refused$)/m,
  },
  {
    name: 'ConfigMap and Secrets should be consumable via the environment, with prefixes',
    // Not through a shell, which drops names that are none to it.
    pod: pod('environment', '', {
      command: ['env'],
      env: [
        { name: 'ONE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour' } } },
        { name: 'TWO', valueFrom: { secretKeyRef: { name: 'keys', key: 'key' } } },
        { name: 'THREE', value: '$(ONE) and $(TWO)' },
      ],
      envFrom: [{ prefix: 'p-', configMapRef: { name: 'settings' } }, { secretRef: { name: 'keys' } }],
    }),
    prints: /(?=[\s\S]*^ONE=red$)(?=[\s\S]*^THREE=red and value-1$)(?=[\s\S]*^key=value-1$)(?=[\s\S]*^p-colour=red$)/m,
  },
  {
    name: 'Downward API should provide names, addresses and resources as env vars',
    pod: pod('downward', 'env | grep ^[A-G]_ | sort', {
      ...limits,
      env: [
        fieldOf('A_NAME', 'metadata.name'),
        fieldOf('B_NAMESPACE', 'metadata.namespace'),
        fieldOf('C_UID', 'metadata.uid'),
        fieldOf('D_HOST', 'status.hostIP'),
        fieldOf('E_POD', 'status.podIP'),
        amountOf('F_CPU', 'limits.cpu'),
        amountOf('G_MEMORY', 'requests.memory'),
      ],
    }),
    prints:
      /A_NAME=downward\nB_NAMESPACE=default\nC_UID=[-0-9a-f]{36}\nD_HOST=[\d.]+\nE_POD=[\d.]+\nF_CPU=1\nG_MEMORY=16777216\n/,
  },
  {
    name: 'Downward API should provide default limits.cpu/memory from node allocatable',
    pod: pod('defaults', 'echo $CPU $MEMORY', {
      env: [amountOf('CPU', 'limits.cpu'), amountOf('MEMORY', 'limits.memory')],
    }),
    prints: /^[1-9]\d* [1-9]\d{8,}$/m,
  },
  {
    name: 'Pods should contain environment variables for services',
    pod: pod('services', 'echo $EARLY_SERVICE_HOST $EARLY_SERVICE_PORT'),
    prints: /^\d+\.\d+\.\d+\.\d+ 8765$/m,
  },
  {
    name: 'Container Runtime should report termination message from log output if TerminationMessagePolicy FallbackToLogsOnError is set',
    pod: pod('message-from-log', 'printf DONE; exit 1', fromLogs),
    path: `${terminated}.message}`,
    becomes: /^DONE$/,
  },
  {
    name: 'Container Runtime should report termination message as empty when pod succeeds and TerminationMessagePolicy FallbackToLogsOnError is set',
    pod: pod('no-message', 'printf DONE', fromLogs),
    path: `${terminated}.exitCode}:${terminated}.message}`,
    becomes: /^0:$/,
  },
  {
    name: 'Container Runtime should report termination message from file when pod succeeds and TerminationMessagePolicy FallbackToLogsOnError is set',
    pod: pod('message-from-file', 'printf OK > /dev/termination-log; printf DONE', fromLogs),
    path: `${terminated}.message}`,
    becomes: /^OK$/,
  },
  {
    name: 'Container Runtime should report termination message if TerminationMessagePath is set as non-root user and at a non-default path',
    pod: pod('message-elsewhere', 'printf DONE > /dev/elsewhere', {
      terminationMessagePath: '/dev/elsewhere',
      securityContext: { runAsUser: 1000 },
    }),
    path: `${terminated}.message}`,
    becomes: /^DONE$/,
  },
  {
    name: 'Sysctls should support sysctls',
    pod: pod(
      'sysctl',
      'cat /proc/sys/kernel/shm_rmid_forced',
      {},
      {
        securityContext: { sysctls: [{ name: 'kernel.shm_rmid_forced', value: '1' }] },
      },
    ),
    prints: /^1$/m,
  },
  {
    name: 'RuntimeClass should schedule a Pod requesting a RuntimeClass and initialize its Overhead',
    pod: pod('other-runtime', 'echo ran', {}, { runtimeClassName: 'other' }),
    path: '{.spec.overhead.cpu} {.spec.overhead.memory}',
    becomes: /^10m 8Mi$/,
    prints: /^ran$/m,
  },
  {
    name: 'Variable Expansion should allow substituting values in a volume subpath',
    pod: pod(
      'sub-path',
      'echo x > /sub/f; cat /all/sub-path/f',
      {
        env: [fieldOf('POD_NAME', 'metadata.name')],
        volumeMounts: [
          { name: 'v', mountPath: '/sub', subPathExpr: '$(POD_NAME)' },
          { name: 'v', mountPath: '/all' },
        ],
      },
      volume,
    ),
    prints: /^x$/m,
  },
  {
    name: 'Variable Expansion should fail substituting values in a volume subpath with backticks',
    pod: pod(
      'bad-sub-path',
      'true',
      {
        env: [{ name: 'BAD', value: '..' }],
        volumeMounts: [{ name: 'v', mountPath: '/sub', subPathExpr: '$(BAD)' }],
      },
      volume,
    ),
    path: '{.status.containerStatuses[0].state.waiting.reason}',
    becomes: /^CreateContainerConfigError$/,
  },
  {
    name: 'Security Context should run the container as unprivileged when false',
    pod: pod('unprivileged', 'ip link add dummy1 type dummy 2>&1 || echo refused', {
      securityContext: { privileged: false },
    }),
    prints: /refused/,
  },
  {
    name: 'Kubelet should have a terminated reason when a command always fails',
    pod: pod('fails', 'exit 1'),
    path: `${terminated}.reason}`,
    becomes: /^Error$/,
  },
  {
    name: 'InitContainer should not start app containers and fail the pod if init containers fail on a RestartNever pod',
    pod: pod(
      'init-fails',
      'echo never',
      {},
      {
        initContainers: [{ name: 'i', image: busybox, command: ['false'] }],
      },
    ),
    path: '{.status.phase} {.status.containerStatuses[0].state.waiting.reason}',
    becomes: /^Failed PodInitializing$/,
  },
];
