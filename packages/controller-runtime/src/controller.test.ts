import { type ConfigMap, refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { type LogFields, type Logger, messageOf, nextTurn, noMetrics, silentLogger, VirtualClock } from '@coracle/base';
import { TerminalError } from '@coracle/client';
import type { Cluster } from '@coracle/cluster';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startBareCluster } from './bare-cluster.fixture.js';
import { newController } from './builder.js';
import { Controller } from './controller.js';
import { type EventHandler, enqueueMapped } from './event-handler.js';
import { createManager, type Manager } from './manager.js';
import { setControllerReference } from './objects/set-controller-reference.js';
import { generationChanged, labelsMatch } from './predicate.js';
import type { Request } from './reconciler.js';
import { channelSource, functionSource, informerSource, type Source } from './source.js';

let cluster: Cluster;
let namespace = '';
let round = 0;
beforeAll(async () => {
  cluster = await startBareCluster();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  namespace = `round-${++round}`;
  await cluster.client.namespaces().create({ metadata: { name: namespace } });
});

const maps = () => cluster.client.configMaps(namespace);
const named = (name: string, more: Partial<ConfigMap> = {}): ConfigMap => ({
  ...more,
  metadata: { name, ...more.metadata },
});

/** A manager of this test's namespace, with one controller that records its requests. */
async function running(
  build: (manager: Manager, note: (request: Request) => void) => void,
  { blocks = false, logger = silentLogger } = {},
): Promise<{ readonly requests: string[]; readonly manager: Manager } & AsyncDisposable> {
  const requests: string[] = [];
  const manager = createManager({
    client: cluster.client,
    clock: cluster.clock,
    // One that waits for the test is no work that the clock should wait for.
    ...(!blocks && { activity: cluster.activity }),
    random: { next: () => 0.5 },
    logger,
    cache: { namespaces: [namespace], deepFreeze: true },
  });
  build(manager, ({ name }) => void requests.push(name));
  void manager.start();
  await cluster.clock.settle();
  return { requests, manager, [Symbol.asyncDispose]: () => manager.stop() };
}

describe('a controller reconciles', () => {
  test('CR-2 existing and changed objects, by the builder', async () => {
    await maps().create(named('old'));
    await using it = await running((manager, note) => newController(manager).for(refs.configMaps).complete(note));
    expect(it.requests).toEqual(['old']);
    await maps().create(named('new'));
    await maps().patch('old', { data: { a: 'b' } }, { type: 'merge' });
    await maps().delete('new');
    await cluster.clock.settle();
    expect(it.requests).toEqual(['old', 'new', 'old', 'new']);
  });

  test('CR-4 owners of changed objects, of their own kind only', async () => {
    const owner = await maps().create(named('owner'));
    await using it = await running((manager, note) =>
      newController(manager)
        .for(refs.configMaps, { predicates: [() => false] })
        .owns(refs.secrets)
        .complete(note),
    );
    const secrets = cluster.client.secrets(namespace);
    await secrets.create(setControllerReference({ metadata: { name: 's', namespace } }, owner, refs.configMaps));
    await secrets.create(
      setControllerReference({ metadata: { name: 't', namespace } }, owner, { ...refs.configMaps, kind: 'Else' }),
    );
    await secrets.create({ metadata: { name: 'free' } });
    await cluster.clock.settle();
    expect(it.requests).toEqual(['owner']);
  });

  test('CR-6 the results of a mapping function, for the old object and the new', async () => {
    await using it = await running((manager, note) =>
      newController(manager)
        .named('mapped')
        .watches(
          refs.secrets,
          enqueueMapped(({ metadata }) => [{ namespace: '', name: metadata.labels?.['to'] ?? 'x' }]),
        )
        .complete(note),
    );
    await cluster.client.secrets(namespace).create({ metadata: { name: 's', labels: { to: 'a' } } });
    await cluster.clock.settle();
    await cluster.client.secrets(namespace).patch('s', { metadata: { labels: { to: 'b' } } }, { type: 'merge' });
    await cluster.clock.settle();
    expect(it.requests).toEqual(['a', 'a', 'b']);
  });

  test('CR-7 only events that every predicate accepts', async () => {
    await using it = await running((manager, note) =>
      newController(manager)
        .for(refs.deployments, { predicates: [generationChanged] })
        .withPredicates(labelsMatch({ matchLabels: { mine: 'yes' } }))
        .complete(note),
    );
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const make = (name: string, mine: string) => ({
      metadata: { name, labels: { mine } },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    });
    await cluster.client.deployments(namespace).create(make('mine', 'yes'));
    await cluster.client.deployments(namespace).create(make('other', 'no'));
    await cluster.clock.settle();
    await cluster.client.deployments(namespace).patch('mine', { metadata: { labels: { x: 'y' } } }, { type: 'merge' });
    await cluster.clock.settle();
    expect(it.requests).toEqual(['mine']);
    await cluster.client.deployments(namespace).patch('mine', { spec: { replicas: 2 } }, { type: 'merge' });
    await cluster.clock.settle();
    expect(it.requests).toEqual(['mine', 'mine']);
  });

  test('with metadata alone, on request', async () => {
    await maps().create(named('big', { data: { much: 'data' } }));
    await using it = await running((manager, note) =>
      newController(manager).for(refs.configMaps, { metadataOnly: true }).complete(note),
    );
    expect(it.requests).toEqual(['big']);
    expect(it.manager.cache.informerFor(refs.configMaps, { metadataOnly: true }).list()[0]).not.toHaveProperty('data');
  });

  test('from a channel, a function and a separate informer', async () => {
    const outside = { metadata: { name: 'outside', namespace } };
    async function* channel(): AsyncGenerator<KubeObject> {
      yield outside;
    }
    const sources = (manager: Manager): Source[] => [
      channelSource(channel()),
      functionSource((queue) => {
        queue.add({ namespace, name: 'called' });
        queue.addAfter({ namespace, name: 'later' }, 1_000);
      }),
      informerSource(manager.cache.informerFor(refs.secrets)),
    ];
    await cluster.client.secrets(namespace).create({ metadata: { name: 'listed' } });
    await using it = await running((manager, note) => {
      const builder = newController(manager).named('sources');
      for (const source of sources(manager)) builder.watchesSource(source);
      builder.complete(note);
    });
    expect([...it.requests].sort()).toEqual(['called', 'listed', 'outside']);
    await cluster.clock.advance(1_000);
    expect(it.requests.at(-1)).toBe('later');
  });

  test('the rest of a channel whose handler throws once, until the channel fails', async () => {
    async function* channel(): AsyncGenerator<ConfigMap> {
      yield named('bad', { metadata: { namespace } });
      yield named('good', { metadata: { namespace } });
      throw new Error('disconnected');
    }
    const errors: unknown[] = [];
    const logger: Logger = {
      ...silentLogger,
      error: (message, fields) => void errors.push([message, messageOf(fields?.['error'])]),
      with: () => logger,
    };
    const handler: EventHandler<ConfigMap> = ({ object: { metadata } }, queue) => {
      if (metadata.name === 'bad') throw new Error('not that one');
      queue.add({ namespace, name: metadata.name ?? '' });
    };
    await using it = await running(
      (manager, note) =>
        newController(manager).named('channel').watchesSource(channelSource(channel(), { handler })).complete(note),
      { logger },
    );
    expect(it.requests).toEqual(['good']);
    expect(errors).toEqual([
      ['A source of events has failed', 'not that one'],
      ['A source of events has failed', 'disconnected'],
    ]);
  });

  test('new events before the initial list', async () => {
    for (const name of ['a', 'b', 'c']) await maps().create(named(name));
    let release = () => {};
    const first = new Promise<void>((resolve) => (release = resolve));
    await using it = await running(
      (manager, note) =>
        newController(manager)
          .for(refs.configMaps)
          .complete(async (request) => {
            note(request);
            if (request.name === 'a') await first;
          }),
      { blocks: true },
    );
    expect(it.requests).toEqual(['a']);
    await maps().create(named('news'));
    release();
    await cluster.clock.settle();
    expect(it.requests).toEqual(['a', 'news', 'b', 'c']);
  });
});

describe('CT-5 after reconciling', () => {
  test('a failure is tried again, slower each time, and a success ends its history', async () => {
    const times: number[] = [];
    await using _ = await running((manager) =>
      newController(manager)
        .for(refs.configMaps)
        .complete(() => {
          times.push(cluster.clock.now());
          if (times.length < 4) throw new Error('not yet');
        }),
    );
    await maps().create(named('flaky'));
    await cluster.clock.advance(1_000);
    expect(times.map((time, i) => time - (times[i - 1] ?? time))).toEqual([0, 5, 10, 20]);
  });

  test('a terminal error is not tried again until the object changes', async () => {
    await using it = await running((manager, note) =>
      newController(manager)
        .for(refs.configMaps)
        .complete((request) => {
          note(request);
          throw new TerminalError('nonsense');
        }),
    );
    await maps().create(named('wrong'));
    await cluster.clock.advance(3_600_000);
    expect(it.requests).toEqual(['wrong']);
    await maps().patch('wrong', { data: { a: 'b' } }, { type: 'merge' });
    await cluster.clock.settle();
    expect(it.requests).toEqual(['wrong', 'wrong']);
  });

  test.each([
    ['requeueAfterMs asks again after that time', { requeueAfterMs: 60_000 }, [0, 60_000, 120_000]],
    ['requeue asks again soon, slower each time', { requeue: true }, [0, 5, 15]],
  ])('%s', async (_, result, expected) => {
    const times: number[] = [];
    let begun = 0;
    await using _running = await running((manager) =>
      newController(manager)
        .for(refs.configMaps)
        .complete(() => {
          times.push(cluster.clock.now() - begun);
          return times.length < 3 ? result : undefined;
        }),
    );
    begun = cluster.clock.now();
    await maps().create(named('again'));
    await cluster.clock.advance(200_000);
    expect(times).toEqual(expected);
  });

  test('MG-2 all objects are reconciled again after some ten hours', async () => {
    await maps().create(named('drifting'));
    await using it = await running((manager, note) => newController(manager).for(refs.configMaps).complete(note));
    await cluster.clock.advance(9 * 3_600_000);
    expect(it.requests).toEqual(['drifting']);
    await cluster.clock.advance(3_600_000);
    expect(it.requests).toEqual(['drifting', 'drifting']);
  });
});

test.each([1, 3])('CT-4 at most %d requests are worked on at once, and never one twice', async (workers) => {
  const busy = new Set<string>();
  let most = 0;
  const gates: (() => void)[] = [];
  let twice = false;
  await using _ = await running(
    (manager) =>
      newController(manager)
        .for(refs.configMaps)
        .withSettings({ maxConcurrentReconciles: workers })
        .complete(async ({ name }) => {
          twice ||= busy.has(name);
          busy.add(name);
          most = Math.max(most, busy.size);
          await new Promise<void>((resolve) => gates.push(resolve));
          busy.delete(name);
        }),
    { blocks: true },
  );
  for (const name of ['a', 'b', 'c', 'd']) await maps().create(named(name));
  for (const name of ['a', 'b', 'c', 'd']) await maps().patch(name, { data: { x: '1' } }, { type: 'merge' });
  for (let left = 40; left > 0; left--) {
    for (const open of gates.splice(0)) open();
    await nextTurn();
  }
  expect({ most, twice }).toEqual({ most: workers, twice: false });
});

describe('BD-2 a builder', () => {
  const manager = () => createManager({ client: cluster.client, clock: cluster.clock, random: { next: () => 0.5 } });

  test('is for one resource', () => {
    expect(() => newController(manager()).for(refs.pods).for(refs.secrets)).toThrow(
      /For\(\.\.\.\) should only be called once/,
    );
  });

  test.each<[string, () => void, RegExp]>([
    ['needs a name', () => newController(manager()).complete(() => {}), /must have a name/],
    [
      'needs something to watch',
      () =>
        newController(manager())
          .named('x')
          .complete(() => {}),
      /no watches configured/,
    ],
    [
      'owns only for a resource',
      () =>
        newController(manager())
          .named('x')
          .owns(refs.pods)
          .complete(() => {}),
      /Owns\(\) can only/,
    ],
  ])('%s', (_, build, message) => {
    expect(build).toThrow(message);
  });
});

describe('CT-3 a controller without a manager', () => {
  const messages: string[] = [];
  const note = (message: string, fields?: LogFields) =>
    void messages.push(`${message} ${fields?.['workers'] ?? ''}`.trim());
  const logger: Logger = { error: note, info: note, debug: note, with: () => logger };
  const controller = (clock: VirtualClock) =>
    new Controller({ name: 'alone', clock, logger, metrics: noMetrics, reconciler: { reconcile: () => {} } });

  test('KB-11 logs its start in order, and starts once', async () => {
    const alone = controller(new VirtualClock());
    alone.watch(functionSource(() => {}));
    const aborter = new AbortController();
    const run = alone.start(aborter.signal);
    await nextTurn();
    expect(messages).toEqual(['Starting EventSource', 'Starting Controller', 'Starting workers 1']);
    await expect(alone.start(aborter.signal)).rejects.toThrow('controller was started more than once');
    aborter.abort();
    await run;
  });

  test('fails if caches do not sync in two minutes', async () => {
    const clock = new VirtualClock();
    const alone = controller(clock);
    alone.watch({ name: 'never', start() {}, synced: () => new Promise(() => {}) });
    const run = expect(alone.start(new AbortController().signal)).rejects.toThrow(
      'failed to wait for alone caches to sync: timed out waiting for cache to be synced',
    );
    await clock.advance(120_000);
    await run;
    expect(clock.pending).toBe(0);
  });
});
