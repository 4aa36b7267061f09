import type { Deployment } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { describe, expect, test } from 'vitest';
import { sourceOf, tablesOf, testFiles } from './flow-document.js';

const document = 'docs/flows/create-a-pod.md';

/** The tables of the document, in order. */
const [podRows = [], deploymentRows = []] = tablesOf(document);

interface Story {
  readonly chapters: readonly { readonly subject: string; readonly steps: readonly { readonly name: string }[] }[];
}

const containers = [{ name: 'web', image: 'nginx' }];

/** What `coracle trace` reads. */
async function storyOf({ client }: Cluster, pod: string): Promise<Story> {
  const { body } = await client.raw('GET', `/debug/coracle/trace?subject=pods/default/${pod}`);
  return body as Story;
}

async function storyOfAPod(): Promise<Story> {
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, traces: true });
  const pods = cluster.client.pods('default');
  await pods.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } });
  await cluster.settled();
  expect((await pods.get('web')).status?.phase).toBe('Running');
  return storyOf(cluster, 'web');
}

async function storyOfADeployment(): Promise<Story> {
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, traces: true });
  const labels = { app: 'web' };
  const spec: Deployment['spec'] = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
  };
  await cluster.client.deployments('default').create({ metadata: { name: 'web' }, spec });
  await cluster.settled();
  const { items } = await cluster.client.pods('default').list();
  return storyOf(cluster, items[0]?.metadata.name ?? '');
}

/** Each step once, where it came first: statuses are written several times. */
function namesOf({ chapters }: Story): string[] {
  return [...new Set(chapters.flatMap(({ steps }) => steps.map(({ name }) => name)))];
}

describe('docs/flows/create-a-pod.md', () => {
  test('has all steps of a pod, in order', async () => {
    expect(podRows.map(({ step }) => step)).toEqual(namesOf(await storyOfAPod()));
  });

  test('has the steps before that of a deployment: it is stored, and a controller syncs it', async () => {
    const { chapters } = await storyOfADeployment();
    const stepLines = chapters.flatMap(({ subject, steps }) =>
      steps.map(({ name }) => `${subject.split('/')[0]}: ${name}`),
    );
    const expectedSteps = new Set(deploymentRows.map(({ step }) => step));
    expect([...new Set(stepLines.filter((step) => expectedSteps.has(step)))]).toEqual(
      deploymentRows.map(({ step }) => step),
    );
    expect(chapters.map(({ steps }) => steps.slice(0, 8).map(({ name }) => name))).toEqual(
      chapters.map(() => podRows.slice(0, 8).map(({ step }) => step)),
    );
  });

  test.each([...podRows, ...deploymentRows])('the step $step is taken in $file', ({ step, file }) => {
    expect(sourceOf(file)).toContain(`'${step.replace(/^.* /, '')}'`);
  });

  testFiles(document);
});
