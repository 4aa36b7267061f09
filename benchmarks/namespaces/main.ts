// Deletes many namespaces at once, and waits until the last one is gone: API server, store, and all controllers in one
// process, with what every namespace gets by itself besides its own objects.
// usage: npm run bench namespaces -- [--namespaces N] [--objects N]
import { parseArgs } from 'node:util';
import { type Namespace, refs } from '@coracle/api';
import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import { Deferred } from '@coracle/base';
import { type Cluster, startCluster } from '@coracle/cluster';

const mostSeconds = 10;
/** Number of concurrent requests. */
const connections = 64;

const { values } = parseArgs({
  options: { namespaces: { type: 'string', default: '500' }, objects: { type: 'string', default: '20' } },
});
const [count, objects] = [Number(values.namespaces), Number(values.objects)];

const kinds: readonly (readonly [ResourceRef<KubeObject>, object])[] = [
  [refs.configMaps, { data: { key: 'value' } }],
  [refs.secrets, { stringData: { key: 'value' } }],
  [refs.services, { spec: { ports: [{ port: 80 }], selector: { app: 'web' } } }],
  [refs.deployments, deploymentFields()],
];

await using cluster = await startCluster({ listen: false, nodes: 1 });
await inParallel(count, (index) => fill(cluster, nameOf(index)));
const gone = untilGone(cluster);
const cpu = process.cpuUsage();
const startedAt = performance.now();
await inParallel(count, (index) => cluster.client.namespaces().delete(nameOf(index)));
await gone;
const seconds = (performance.now() - startedAt) / 1_000;
const { user, system } = process.cpuUsage(cpu);
const verdict = seconds <= mostSeconds ? 'passed' : 'TOO SLOW';
const work = ((user + system) / 1_000_000).toFixed(1);
console.log(
  `${count} namespaces with ${objects} objects each: gone after ${seconds.toFixed(1)} s (${work} s of CPU), at most ${mostSeconds} s: ${verdict}`,
);
if (seconds > mostSeconds) process.exitCode = 1;

function nameOf(index: number): string {
  return `many-${index}`;
}

async function fill({ client }: Cluster, namespace: string): Promise<void> {
  await client.namespaces().create({ metadata: { name: namespace } } as Namespace);
  for (let i = 0; i < objects; i++) {
    const [ref, fields] = kinds[i % kinds.length] ?? [refs.configMaps, {}];
    await client.resource(ref, namespace).create({ metadata: { name: `object-${i}` }, ...fields } as KubeObject);
  }
}

function deploymentFields(): object {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] } };
  return { spec: { replicas: 0, selector: { matchLabels: labels }, template } };
}

async function untilGone({ client }: Cluster): Promise<void> {
  const done = new Deferred<void>();
  let left = count;
  const stop = new AbortController();
  void (async () => {
    for await (const event of client.namespaces().watch({ signal: stop.signal }))
      if (event.type === 'DELETED' && --left === 0) done.resolve();
  })().catch((error: unknown) => done.reject(error));
  await done.promise;
  stop.abort();
}

async function inParallel(total: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < total) await run(next++);
  };
  await Promise.all(Array.from({ length: connections }, worker));
}
