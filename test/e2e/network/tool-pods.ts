import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { busybox } from '../containerd/containerd.js';
import type { NetworkNode } from './network-node.js';

const scripts = fileURLToPath(new URL('.', import.meta.url));
const nodejs = '/opt/nodejs/node';

/** Programs of this machine, where pods find them. */
const mounts: Readonly<Record<string, string>> = {
  '/usr': '/usr',
  '/lib': '/usr/lib',
  '/lib64': '/usr/lib64',
  '/opt/nodejs': dirname(process.execPath),
  '/scripts': scripts,
};

export interface ToolPod {
  readonly labels?: Readonly<Record<string, string>>;
  /** Arguments of `netexec`; the pod sleeps without them. */
  readonly netexec?: readonly string[];
  readonly ports?: readonly object[];
  readonly spec?: object;
}

/** A pod of busybox that has curl and Node.js of this machine. */
export function toolPod(name: string, { labels = {}, netexec, ports = [], spec = {} }: ToolPod = {}): object {
  const command = netexec ? [nodejs, '/scripts/netexec.mjs', ...netexec] : ['sleep', '3600'];
  const volumes = Object.values(mounts).map((path, i) => ({ name: `v${i}`, hostPath: { path } }));
  const volumeMounts = Object.keys(mounts).map((mountPath, i) => ({ name: `v${i}`, mountPath, readOnly: true }));
  const env = [{ name: 'PATH', value: '/bin:/usr/bin:/opt/nodejs' }];
  const port = Number(netexec?.join('=').match(/--http-port=(\d+)/)?.[1] ?? 8080);
  const readinessProbe = netexec && { httpGet: { path: '/healthz', port }, periodSeconds: 1 };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: {
      terminationGracePeriodSeconds: 1,
      volumes,
      containers: [{ name: 'c', image: busybox, command, env, ports, volumeMounts, readinessProbe }],
      ...spec,
    },
  };
}

/** Makes these objects and waits for the pods among them. */
export async function create(node: NetworkNode, ...items: object[]): Promise<void> {
  await node.apply({ apiVersion: 'v1', kind: 'List', items });
  const output = await node.kubectl('wait', '--for=condition=Ready', 'pod', '--all', '--timeout=110s');
  if (/timed out|error/i.test(output)) throw new Error(output);
}

/** The output of a shell in a pod. */
export function inPod(node: NetworkNode, pod: string, script: string): Promise<string> {
  return node.kubectl('exec', pod, '--', 'sh', '-c', script);
}

/** The output of Node.js in a pod. */
export function nodejsInPod(node: NetworkNode, pod: string, script: string): Promise<string> {
  return node.kubectl('exec', pod, '--', nodejs, '-e', script);
}
