import { readFileSync } from 'node:fs';
import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';

/** The block of a flow document that lists the steps of the traced run. */
function tracedSteps(document: string): string[] {
  const text = readFileSync(new URL(`../../docs/flows/${document}`, import.meta.url), 'utf8');
  const block = /^```trace\n([\s\S]*?)^```/m.exec(text)?.[1] ?? '';
  return block.split('\n').filter((line) => line !== '');
}

test('a pod passes the steps that docs/flows/create-a-pod.md names, in that order', async () => {
  const steps: string[] = [];
  await using cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    seed: 1,
    tracer: { step: (name, subject) => subject === 'pods/default/web' && steps.push(name) },
  });
  await cluster.client
    .pods('default')
    .create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'web', image: 'nginx' }] } });
  await cluster.settled();

  expect(steps).toEqual(tracedSteps('create-a-pod.md'));
});
