import { type Cluster, startCluster } from '@coracle/cluster';
import { describe, expect, test } from 'vitest';
import { sourceOf, tablesOf, testFiles } from './flow-document.js';

interface Story {
  readonly chapters: readonly { readonly steps: readonly { readonly name: string; readonly order: number }[] }[];
}

const containers = [{ name: 'web', image: 'nginx' }];

async function stepsOf({ client }: Cluster): Promise<readonly { readonly name: string; readonly order: number }[]> {
  const { body } = await client.raw('GET', '/debug/coracle/trace?subject=pods/default/web');
  return (body as Story).chapters.flatMap(({ steps }) => steps);
}

/** The steps of a running pod that `change` causes, each once, in order of the first occurrence. */
async function stepsAfter(change: (pods: ReturnType<Cluster['client']['pods']>) => Promise<unknown>) {
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, traces: true });
  const pods = cluster.client.pods('default');
  await pods.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } });
  await cluster.settled();
  expect((await pods.get('web')).status?.phase).toBe('Running');
  const last = (await stepsOf(cluster)).at(-1)?.order ?? 0;
  await change(pods);
  await cluster.clock.advance('1m');
  await cluster.settled();
  const after = (await stepsOf(cluster)).filter(({ order }) => order > last);
  return [...new Set(after.map(({ name }) => name))];
}

describe('docs/flows/update-a-pod.md', () => {
  const document = 'docs/flows/update-a-pod.md';
  const [rows = []] = tablesOf(document);

  test('has all steps of an update, in order', async () => {
    const steps = await stepsAfter(async (pods) => {
      const pod = await pods.get('web');
      await pods.update({ ...pod, metadata: { ...pod.metadata, labels: { app: 'web' } } });
    });
    expect(steps).toEqual(rows.map(({ step }) => step));
  });

  test.each(rows)('the step $step is taken in $file', ({ step, file }) => {
    expect(sourceOf(file)).toContain(`'${step}'`);
  });

  testFiles(document);
});

describe('docs/flows/delete-a-pod.md', () => {
  const document = 'docs/flows/delete-a-pod.md';
  const [rows = []] = tablesOf(document);

  test('has all steps of a deletion, in order', async () => {
    const steps = await stepsAfter((pods) => pods.delete('web'));
    expect(steps).toEqual(rows.map(({ step }) => step));
  });

  test.each(rows)('the step $step is taken in $file', ({ step, file }) => {
    expect(sourceOf(file)).toContain(`'${step}'`);
  });

  testFiles(document);
});
