import { createManager, type LogFields, type Logger, startCluster } from 'coracle';
import { expect, test } from 'vitest';
import { addPodCountController, PodCount, statusOf } from './pod-count.js';

const components = { controllers: false, scheduler: false };

test.each([
  [3, 3],
  [0, 0],
  [-2, 0],
])('KB-10 a spec of %d is reported as %d', (count, reported) => {
  expect(statusOf({ count })).toEqual({ count: reported });
});

test('KB-9 without a controller an object is only a record', async () => {
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, components });
  await cluster.client.customResourceDefinitions().create(PodCount.crd);
  await cluster.settled();
  const made = PodCount.make({ metadata: { name: 'podcount-sample' }, spec: { count: 3 } });
  await cluster.client.resource(PodCount, 'default').create(made);
  await cluster.clock.advance('1h');
  const { spec, status, metadata } = await cluster.client.resource(PodCount, 'default').get('podcount-sample');
  expect({ spec, status, generation: metadata.generation }).toEqual({
    spec: { count: 3 },
    status: undefined,
    generation: 1,
  });
});

test('KB-12 the controller reports the count, and that is no new generation', async () => {
  await using cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, components });
  const { client, clock, activity } = cluster;
  await client.customResourceDefinitions().create(PodCount.crd);
  await cluster.settled();
  const log: string[] = [];
  const logger = recording(log);
  await using manager = createManager({ client, clock, activity, logger, random: { next: () => 0.5 } });
  addPodCountController(manager);
  void manager.start();
  await cluster.settled();

  const pods = client.resource(PodCount, 'default');
  const made = await pods.create(PodCount.make({ metadata: { name: 'podcount-sample' }, spec: { count: 3 } }));
  await cluster.settled();
  const { status, metadata } = await pods.get('podcount-sample');
  expect(status).toEqual({ count: 3 });
  expect(metadata.generation).toBe(1);
  expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));

  await pods.patch('podcount-sample', { spec: { count: 5 } }, { type: 'merge' });
  await cluster.settled();
  expect(await pods.get('podcount-sample')).toMatchObject({ status: { count: 5 }, metadata: { generation: 2 } });
  // KB-11
  expect(log).toEqual(['starting manager', 'Starting EventSource', 'Starting Controller', 'Starting workers']);
});

function recording(log: string[]): Logger {
  const note = (message: string, _fields?: LogFields) => void log.push(message);
  const logger: Logger = { error: note, info: note, debug() {}, with: () => logger };
  return logger;
}
