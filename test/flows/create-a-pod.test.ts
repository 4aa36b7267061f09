import { existsSync, readFileSync } from 'node:fs';
import { RecordingTracer, VirtualClock } from '@coracle/base';
import { startCluster } from '@coracle/cluster';
import { describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const document = readFileSync(new URL('docs/flows/create-a-pod.md', root), 'utf8');
const rows = [...document.matchAll(/^\| `([\w.]+)` \| `([^`]+)` \|/gm)].map(([, step = '', file = '']) => ({
  step,
  file,
}));

/** Each step once, where it came first: statuses are written several times. */
async function stepsOfAPod(): Promise<string[]> {
  const tracer = new RecordingTracer({ clock: new VirtualClock() });
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, tracer });
  const spec = { containers: [{ name: 'web', image: 'nginx' }] };
  await cluster.client.pods('default').create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
  await cluster.settled();
  expect((await cluster.client.pods('default').get('web')).status?.phase).toBe('Running');
  return [...new Set(tracer.stepsOf('pods/default/web').map(({ name }) => name))];
}

describe('docs/flows/create-a-pod.md', () => {
  test('tells the steps that a pod goes through, all of them, in order', async () => {
    expect(rows.map(({ step }) => step)).toEqual(await stepsOfAPod());
  });

  test.each(rows)('the step $step is taken in $file', ({ step, file }) => {
    expect(readFileSync(new URL(file, root), 'utf8')).toContain(`'${step}'`);
  });

  test('names only files that there are', () => {
    const named = [...document.matchAll(/`((?:packages|test|docs)\/[^`*]+)`/g)].map(([, file = '']) => file);
    expect(named.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
  });
});
