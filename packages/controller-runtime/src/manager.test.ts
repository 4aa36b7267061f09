import { type ConfigMap, refs } from '@coracle/api';
import type { ApiRequest } from '@coracle/apimachinery';
import type { Cluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBareCluster } from './bare-cluster.fixture.js';
import { newController } from './builder.js';
import { createManager } from './manager.js';
import type { ManagerOptions } from './manager-options.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startBareCluster();
});
afterAll(() => cluster.stop());

const managed = (more: Partial<ManagerOptions> = {}) =>
  createManager({
    client: cluster.client,
    clock: cluster.clock,
    activity: cluster.activity,
    random: { next: () => 0.5 },
    ...more,
  });

const get = (path: string, query = ''): ApiRequest => ({ method: 'GET', path, query, headers: {} });
const textOf = (chunks: readonly Uint8Array[]) => chunks.map((chunk) => new TextDecoder().decode(chunk)).join('');

async function ask(exchange: (request: ApiRequest) => Promise<{ status: number; body: unknown }>, request: ApiRequest) {
  const { status, body } = await exchange(request);
  return [status, textOf((body as { chunks: Uint8Array[] }).chunks)];
}

describe('MG-4 a manager starts', () => {
  test('servers, webhooks, caches, others and then controllers, and stops them in reverse', async () => {
    const log: string[] = [];
    const serving = (name: string) => async () => {
      log.push(`${name} up`);
      return { [Symbol.asyncDispose]: async () => void log.push(`${name} down`) };
    };
    const manager = managed({
      serve: { metrics: serving('metrics'), health: serving('health'), webhooks: serving('webhooks') },
    });
    const running = (name: string) => async (signal: AbortSignal) => {
      log.push(`${name} up`);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      log.push(`${name} down`);
    };
    manager.add(running('controller'));
    manager.add({ group: 'others', start: running('other') });
    manager.cache.informerFor(refs.configMaps);
    manager.add({ group: 'caches', start: running('cache') });
    const run = manager.start();
    await manager.ready();
    expect(manager.cache.informerFor(refs.configMaps).hasSynced).toBe(true);
    await manager.elected;
    await cluster.clock.settle();
    await manager.stop();
    await run;
    expect(log).toEqual([
      'metrics up',
      'health up',
      'webhooks up',
      'cache up',
      'other up',
      'controller up',
      'controller down',
      'other down',
      'cache down',
      'webhooks down',
      'metrics down',
      'health down',
    ]);
  });

  test('everything once, and refuses to be started again', async () => {
    const manager = managed();
    const run = manager.start();
    await expect(manager.start()).rejects.toThrow('manager already started');
    await manager.stop();
    await run;
  });

  test('parts that are added later, at once', async () => {
    await using manager = managed();
    const run = manager.start();
    await manager.elected;
    let started = false;
    manager.add(async () => void (started = true));
    expect(started).toBe(true);
    await manager.stop();
    await run;
  });
});

test('MG-2 a dry-run manager writes nothing', async () => {
  const manager = managed({ dryRun: true });
  const written = await manager.client.configMaps('default').create({ metadata: { name: 'rehearsed' } });
  expect(written.metadata.uid).toBeDefined();
  await expect(cluster.client.configMaps('default').get('rehearsed')).rejects.toThrow('not found');
});

describe('MG-5 a manager ends', () => {
  test('in reverse order when its signal aborts', async () => {
    const aborter = new AbortController();
    const run = managed().start(aborter.signal);
    aborter.abort();
    await expect(run).resolves.toBeUndefined();
  });

  test('with the error of the failed part', async () => {
    const manager = managed();
    manager.add(() => Promise.reject(new Error('broken')));
    await expect(manager.start()).rejects.toThrow('broken');
  });

  test('when a server cannot listen, before anything else has started', async () => {
    const manager = managed({ serve: { health: () => Promise.reject(new Error('address in use')) } });
    let started = false;
    manager.add(async () => void (started = true));
    await expect(manager.start()).rejects.toThrow('address in use');
    expect(started).toBe(false);
  });

  test('with both errors when something fails and something else does not end in time', async () => {
    const manager = managed({ gracefulStopMs: 5_000 });
    manager.add(() => Promise.reject(new Error('broken')));
    manager.add({ group: 'others', start: () => new Promise(() => {}) });
    const run = manager.start().catch((error: unknown) => error);
    await cluster.clock.advance(5_000);
    expect(String(await run)).toMatch(/broken.*failed waiting for all runnables to end within grace period of 5s/);
  });
});

describe('LE-3 controllers', () => {
  const election = (identity: string) => ({
    leaderElection: { lease: { namespace: 'default', name: 'operator' }, identity, releaseOnStop: true },
  });

  test('run in the process that leads, and in the next one when it stops', async () => {
    const log: string[] = [];
    const replica = (name: string) => {
      const manager = managed(election(name));
      manager.add(async () => void log.push(`${name} works`));
      manager.add({ group: 'others', start: async () => void log.push(`${name} stands by`) });
      return { manager, run: manager.start() };
    };
    const first = replica('a');
    await cluster.clock.settle();
    const second = replica('b');
    await cluster.clock.advance(60_000);
    expect(log).toEqual(['a stands by', 'a works', 'b stands by']);
    await first.manager.stop();
    await first.run;
    await cluster.clock.advance(5_000);
    expect(log.at(-1)).toBe('b works');
    await second.manager.stop();
  });

  test('stop with the process when the lease is lost', async () => {
    const manager = managed(election('c'));
    const run = manager.start();
    const ended = expect(run).rejects.toThrow('leader election lost');
    await cluster.clock.advance(5_000);
    await manager.elected;
    const leases = cluster.client.leases('default');
    const lease = await leases.get('operator');
    await leases.update({ ...lease, spec: { ...lease.spec, holderIdentity: 'usurper', leaseDurationSeconds: 3600 } });
    await cluster.clock.advance(60_000);
    await ended;
  });
});

describe('MG-1 endpoints of a manager', () => {
  test('health and readiness by its checks', async () => {
    const manager = managed();
    let well = true;
    const check = () => {
      if (!well) throw new Error('no disk');
    };
    expect(await ask(manager.health, get('/healthz'))).toEqual([200, 'ok']);
    manager.addHealthCheck('disk', check);
    manager.addReadyCheck('always', () => {});
    expect(await ask(manager.health, get('/healthz', 'verbose'))).toEqual([200, '[+]disk ok\nhealthz check passed\n']);
    well = false;
    expect(await ask(manager.health, get('/healthz'))).toEqual([
      500,
      '[-]disk failed: reason withheld\nhealthz check failed\n',
    ]);
    expect(await ask(manager.health, get('/healthz', 'exclude=disk'))).toEqual([200, 'ok']);
    expect(await ask(manager.health, get('/healthz/disk'))).toEqual([500, 'internal server error: no disk\n']);
    expect(await ask(manager.health, get('/readyz'))).toEqual([200, 'ok']);
    expect((await ask(manager.health, get('/other')))[0]).toBe(404);
  });

  test('metrics of its controllers under their usual names', async () => {
    await using manager = managed();
    newController(manager)
      .for(refs.configMaps)
      .named('metered')
      .complete(({ name }) => {
        if (name === 'bad') throw new Error('bad');
        return name === 'later' ? { requeueAfterMs: 60_000 } : undefined;
      });
    const run = manager.start();
    for (const name of ['good', 'bad', 'later'])
      await cluster.client.configMaps('default').create({ metadata: { name } } as ConfigMap);
    await cluster.clock.settle();
    const [, page] = await ask(manager.metricsPage, get('/metrics'));
    expect(page).toContain('controller_runtime_reconcile_total{controller="metered",result="success"}');
    expect(page).toMatch(/reconcile_total\{controller="metered",result="error"\} [1-9]/);
    expect(page).toMatch(/reconcile_total\{controller="metered",result="requeue_after"\} 1/);
    expect(page).toMatch(/max_concurrent_reconciles\{controller="metered"\} 1/);
    expect(page).toContain('workqueue_depth{name="metered"}');
    await manager.stop();
    await run;
  });

  test('and on paths of its user', async () => {
    const manager = managed();
    manager.addMetricsPath('/debug', manager.health);
    expect((await ask(manager.metricsPage, get('/debug')))[0]).toBe(404);
    manager.addMetricsPath('/healthz', manager.health);
    expect(await ask(manager.metricsPage, get('/healthz'))).toEqual([200, 'ok']);
  });
});

test('events of a manager are written before it has stopped', async () => {
  const manager = managed();
  const run = manager.start();
  await manager.ready();
  const recorder = manager.eventRecorder('teller');
  const map = await cluster.client.configMaps('default').create({ metadata: { name: 'told' } });
  recorder.event(map, 'Normal', 'Seen', 'it is there');
  await manager.stop();
  await run;
  const { items } = await cluster.client.events('default').list({ fieldSelector: 'involvedObject.name=told' });
  expect(items.map(({ reason, source }) => [reason, source?.component])).toEqual([['Seen', 'teller']]);
});
