import type { Cluster } from '@coracle/cluster';
import { type Host, type Processes, runKubectl } from '@coracle/kubectl';
import { memoryHost } from '../../packages/kubectl/src/command/memory-host.fixture.js';

/** Lets virtual time pass until the work is done. */
export async function whileTimePasses<T>(cluster: Cluster, work: Promise<T>): Promise<T> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  // Awaited below: a failure before that is not lost.
  ended.catch(() => undefined);
  for (let i = 0; i < 10_000 && !isDone; i++) await cluster.clock.advance('100ms');
  return ended;
}

export interface Output {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a kubectl command line on a cluster in this process, on a machine that is all in memory. */
export async function kubectl(
  cluster: Cluster,
  words: readonly string[],
  machine: { readonly files?: Record<string, string>; readonly processes?: Processes } = {},
): Promise<Output> {
  const memory = memoryHost(machine.files ?? {});
  const host: Host = {
    ...memory,
    clock: cluster.clock,
    ...(machine.processes && { processes: machine.processes }),
    env: { PATH: '/usr/bin' },
  };
  const code = await whileTimePasses(cluster, runKubectl(words, host, { client: cluster.client }));
  return { code, out: memory.out(), err: memory.err() };
}

export const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
    },
  },
};
