import { type Node, type Pod, refs } from '@coracle/api';
import {
  Activity,
  Deferred,
  type Logger,
  noTracer,
  PrometheusMetrics,
  seededRandom,
  silentLogger,
  type Tracer,
} from '@coracle/base';
import { createInformers, type EventRecorder } from '@coracle/client';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeNode } from './builders.fixture.js';
import type { NodeInfo } from './cache/node-info.js';
import type { PodInfo } from './cache/pod-info.js';
import type { SchedulerConfiguration } from './config/scheduler-configuration.js';
import type { CycleState } from './framework/cycle-state.js';
import type { FilterPlugin, PermitPlugin, PreBindPlugin, PreEnqueuePlugin } from './framework/plugin.js';
import { fits, unschedulable } from './framework/verdict.js';
import { createScheduler, type Scheduler, type SchedulerOptions } from './scheduler.js';

let cluster: Cluster;
let scheduler: Scheduler;
let metrics: PrometheusMetrics;
let events: string[];
beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, seed: 1 });
  metrics = new PrometheusMetrics();
  events = [];
});
afterEach(async () => {
  await scheduler[Symbol.asyncDispose]();
  await cluster.stop();
});

/** An additional scheduler in the cluster. */
function makeScheduler(configuration: SchedulerConfiguration, more: Partial<SchedulerOptions> = {}) {
  const shared = { clock: cluster.clock, random: seededRandom(1), logger: silentLogger, tracer: noTracer };
  const options = { ...shared, metrics, activity: new Activity(), client: cluster.client };
  const informers = createInformers(options);
  const recorderFor = (schedulerName: string) => ({
    event: (...[about, , reason]: Parameters<EventRecorder['event']>) => {
      events.push(`${schedulerName}: ${reason} ${'metadata' in about ? about.metadata?.name : ''}`);
    },
  });
  return { informers, scheduler: createScheduler({ ...options, informers, recorderFor, configuration, ...more }) };
}

async function schedule(configuration: SchedulerConfiguration, more: Partial<SchedulerOptions> = {}): Promise<void> {
  const made = makeScheduler(configuration, more);
  scheduler = made.scheduler;
  made.informers.start();
  scheduler.start();
  await cluster.clock.advance(1);
  await cluster.settled();
}

async function addPod(name: string, schedulerName: string, requests: Record<string, string> = {}): Promise<Pod> {
  const pods = cluster.client.resource<Pod>(refs.pods, 'default');
  await pods.create({
    metadata: { name, namespace: 'default' },
    spec: { schedulerName, containers: [{ name: 'app', image: 'app', resources: { requests } }] },
  });
  for (let i = 0; i < 5; i++) await cluster.settled();
  return pods.get(name);
}

async function addNodes(...names: string[]): Promise<void> {
  for (const name of names) await cluster.client.resource<Node>(refs.nodes).create(makeNode(name));
  await cluster.settled();
}

const packing: SchedulerConfiguration = {
  profiles: [
    {
      schedulerName: 'packer',
      pluginConfig: [{ name: 'NodeResourcesFit', args: { scoringStrategy: { type: 'MostAllocated' } } }],
      plugins: {
        score: {
          disabled: [{ name: 'NodeResourcesBalancedAllocation' }, { name: 'PodTopologySpread' }],
          enabled: [{ name: 'NodeResourcesFit', weight: 50 }],
        },
      },
    },
    { schedulerName: 'spreader' },
  ],
};

describe('a scheduler with a configuration', () => {
  test('schedules the pods of each of its profiles in its own way, and reports it in its name', async () => {
    await addNodes('a', 'b');
    await schedule(packing);
    const nodesOf = async (profile: string) => {
      const pods = [];
      for (const number of [1, 2, 3]) pods.push(await addPod(`${profile}-${number}`, profile, { cpu: '1' }));
      return [...new Set(pods.map(({ spec }) => spec?.nodeName))];
    };
    const packed = await nodesOf('packer');
    expect(packed).toHaveLength(1);
    // The other node has more free resources by now.
    expect(await nodesOf('spreader')).toEqual(['a', 'b'].filter((name) => !packed.includes(name)));
    expect((await addPod('nobody', 'unknown')).spec?.nodeName).toBeUndefined();
    expect(events).toEqual([
      ...[1, 2, 3].map((number) => `packer: Scheduled packer-${number}`),
      ...[1, 2, 3].map((number) => `spreader: Scheduled spreader-${number}`),
    ]);
  });

  test('a pod that a PreEnqueue plugin rejects has no message about scheduling gates', async () => {
    const closed: PreEnqueuePlugin = {
      name: 'Closed',
      preEnqueue: ({ pod }) => (pod.metadata.name === 'left' ? unschedulable('closed') : fits),
    };
    await addNodes('a');
    await schedule({ profiles: [{ schedulerName: 'mine' }] }, { extraPlugins: [{ plugin: closed }] });
    const pod = await addPod('left', 'mine');
    expect({ node: pod.spec?.nodeName, conditions: pod.status?.conditions ?? [] }).toEqual({
      node: undefined,
      conditions: [],
    });
    expect((await addPod('taken', 'mine')).spec?.nodeName).toBe('a');
  });

  test('a PreEnqueue plugin that throws keeps its pod out, and no other', async () => {
    const broken: PreEnqueuePlugin = {
      name: 'Broken',
      preEnqueue: ({ pod }) => {
        if (pod.metadata.name === 'left') throw new Error('a bug in the plugin');
        return fits;
      },
    };
    await addNodes('a');
    await schedule({ profiles: [{ schedulerName: 'mine' }] }, { extraPlugins: [{ plugin: broken }] });
    expect((await addPod('left', 'mine')).spec?.nodeName).toBeUndefined();
    expect((await addPod('taken', 'mine')).spec?.nodeName).toBe('a');
  });

  test('the loop continues with the next pod, whatever throws while a pod is scheduled', async () => {
    await addNodes('a');
    const tracer: Tracer = {
      ...noTracer,
      step: (name, subject) => {
        if (name === 'scheduler.schedule' && subject === 'pods/default/bad') throw new Error('a bug on the way');
      },
    };
    await schedule({ profiles: [{ schedulerName: 'mine' }] }, { tracer });
    const bad = await addPod('bad', 'mine');
    expect((await addPod('good', 'mine')).spec?.nodeName).toBe('a');
    expect(bad.status?.conditions).toMatchObject([{ reason: 'SchedulerError', message: 'a bug on the way' }]);
  });

  test('SCH-83 SCH-86 calls out-of-tree plugins', async () => {
    const picky: FilterPlugin = {
      name: 'TestPlugin',
      filter: (_state, { pod }) => (pod.metadata.annotations?.['test-plugin'] ? unschedulable('testPlugin') : fits),
    };
    await addNodes('a');
    await schedule({ profiles: [{ schedulerName: 'mine' }] }, { extraPlugins: [{ plugin: picky }] });
    expect((await addPod('taken', 'mine')).spec?.nodeName).toBe('a');
    const pods = cluster.client.resource<Pod>(refs.pods, 'default');
    await pods.create({
      metadata: { name: 'left', namespace: 'default', annotations: { 'test-plugin': '' } },
      spec: { schedulerName: 'mine', containers: [{ name: 'app', image: 'app' }] },
    });
    for (let i = 0; i < 5; i++) await cluster.settled();
    expect((await pods.get('left')).spec?.nodeName).toBe('a');
    await pods.create({
      metadata: { name: 'refused', namespace: 'default', annotations: { 'test-plugin': 'yes' } },
      spec: { schedulerName: 'mine', containers: [{ name: 'app', image: 'app' }] },
    });
    for (let i = 0; i < 5; i++) await cluster.settled();
    const { status } = await pods.get('refused');
    expect(status?.conditions?.[0]?.message).toContain('0/1 nodes are available: 1 testPlugin.');
  });

  test('SCH-38 refuses what does not go together', () => {
    const make =
      (configuration: SchedulerConfiguration, more: Partial<SchedulerOptions> = {}) =>
      () =>
        makeScheduler(configuration, more).scheduler;
    const extraPlugins = [{ plugin: { name: 'NodeName' } }];
    expect(make({}, { extraPlugins })).toThrow('a plugin named NodeName already exists');
    expect(make({ parallelism: -1 })).toThrow('parallelism: Invalid value: -1');
    expect(make({ profiles: [{ pluginConfig: [{ name: 'Nothing' }] }] })).toThrow('plugin "Nothing" does not exist');
    scheduler = make({})();
  });

  test('SCH-25e dumps its cache on request, and differences to the API', async () => {
    const lines: { message: string; fields: Record<string, unknown> }[] = [];
    const logger: Logger = {
      ...silentLogger,
      info: (message, fields = {}) => void lines.push({ message, fields: structuredClone(fields) }),
    };
    let ask: (() => void) | undefined;
    const debugRequests = (answer: (to: Logger) => void) => {
      ask = () => answer(logger);
      return { [Symbol.dispose]: () => void (ask = undefined) };
    };
    await addNodes('a');
    await schedule({ profiles: [{ schedulerName: 'mine' }] }, { debugRequests });
    await addPod('fits', 'mine', { cpu: '1' });
    await addPod('huge', 'mine', { cpu: '100' });
    const { metadata } = await addPod('theirs', 'somebody');
    ask?.();

    expect(lines).toMatchObject([
      {
        message: 'Dump of cached NodeInfo',
        fields: { nodes: [{ name: 'a', requested: { milliCPU: 1_000 }, pods: [{ name: 'fits' }], nominatedPods: [] }] },
      },
      {
        message: 'Dump of scheduling queue',
        fields: {
          summary: 'activeQ:0; backoffQ:0; unschedulablePods:1',
          pods: [{ name: 'huge', namespace: 'default', phase: 'Pending' }],
        },
      },
      { message: 'Cache mismatch', fields: { missedPods: [metadata.uid], redundantPods: [] } },
    ]);
    await scheduler[Symbol.asyncDispose]();
    expect(ask).toBeUndefined();
  });

  test('SCH-76 counts attempts, pending pods and cached objects', async () => {
    await addNodes('a');
    await schedule({ profiles: [{ schedulerName: 'mine' }] });
    await addPod('fits', 'mine');
    await addPod('huge', 'mine', { cpu: '100' });
    await cluster.clock.advance(1_000);
    const lines = metrics.render().split('\n');
    for (const line of [
      'scheduler_schedule_attempts_total{profile="mine",result="scheduled"} 1',
      'scheduler_schedule_attempts_total{profile="mine",result="unschedulable"} 1',
      'scheduler_pending_pods{queue="unschedulable"} 1',
      'scheduler_pending_pods{queue="active"} 0',
      'scheduler_queue_incoming_pods_total{event="PodAdd",queue="active"} 2',
      'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="mine"} 1',
      'scheduler_preemption_attempts_total 1',
      'scheduler_cache_size{type="nodes"} 1',
      'scheduler_pod_scheduling_attempts_count 1',
    ])
      expect(lines.map(sortLabels)).toContain(sortLabels(line));
  });
});

describe('SCH-76 the time that plugins take', () => {
  /** Number of observations of each series. */
  const countsOf = (name: string) =>
    metrics
      .render()
      .split('\n')
      .filter((line) => line.startsWith(`scheduler_${name}_count`))
      .map((line) => sortLabels(line.slice(`scheduler_${name}_count`.length)));

  test('is recorded by extension point and result, for every attempt', async () => {
    await addNodes('a', 'b');
    await schedule({ profiles: [{ schedulerName: 'mine' }] });
    await addPod('fits', 'mine');
    await addPod('huge', 'mine', { cpu: '100' });
    const points = countsOf('framework_extension_point_duration_seconds');
    for (const [point, count, status] of [
      ['PreEnqueue', 2],
      ['PreFilter', 2],
      ['Filter', 2],
      ['PreScore', 1],
      ['Score', 1],
      ['Reserve', 1],
      ['Permit', 1],
      ['PreBind', 1],
      ['Bind', 1],
      ['PostBind', 1],
      ['PostFilter', 1, 'Unschedulable'],
    ] as const)
      expect(points).toContain(`{extension_point="${point}",profile="mine",status="${status ?? 'Success'}"} ${count}`);
  });

  test('is recorded by plugin, for every tenth attempt and, for single nodes, every tenth node', async () => {
    const never: FilterPlugin = { name: 'Never', filter: () => unschedulable('never') };
    // Twelve calls in two attempts: the first and the eleventh are measured.
    await addNodes('a', 'b', 'c', 'd', 'e', 'f');
    await schedule({ profiles: [{ schedulerName: 'mine' }] }, { extraPlugins: [{ plugin: never }] });
    for (let count = 0; count < 11; count++) await addPod(`huge-${count}`, 'mine');
    const plugins = countsOf('plugin_execution_duration_seconds');
    expect(plugins).toContain('{extension_point="Filter",plugin="Never",status="Unschedulable"} 2');
    expect(plugins).toContain('{extension_point="Filter",plugin="NodeResourcesFit",status="Success"} 2');
    expect(plugins).toContain('{extension_point="PreFilter",plugin="NodePorts",status="Skip"} 2');
    expect(plugins).toContain('{extension_point="PostFilter",plugin="DefaultPreemption",status="Unschedulable"} 2');
  });

  test('a sampled attempt has the same plugins as others, also class instances', async () => {
    class Picky {
      readonly name = 'Picky';
      readonly #node = 'b';
      filter(_state: CycleState, _pod: PodInfo, { name }: NodeInfo) {
        return name === this.#node ? fits : unschedulable('not wanted');
      }
    }
    await addNodes('a', 'b');
    await schedule({ profiles: [{ schedulerName: 'mine' }] }, { extraPlugins: [{ plugin: new Picky() }] });
    expect((await addPod('first', 'mine')).spec?.nodeName).toBe('b');
    expect((await addPod('second', 'mine')).spec?.nodeName).toBe('b');
  });
});

describe('a pod that is not bound at once', () => {
  /** Delays binding until `end` is called. */
  function waiting() {
    const ended = new Deferred<void>();
    const slow: PreBindPlugin = { name: 'Slow', preBind: (state) => state.resting(ended.promise) };
    return { slow, ended };
  }
  const mine = { profiles: [{ schedulerName: 'mine' }] };
  const get = (name: string) => cluster.client.resource<Pod>(refs.pods, 'default').get(name);

  test('is nominated for its node until it is', async () => {
    const { slow, ended } = waiting();
    await addNodes('a');
    await schedule(mine, { extraPlugins: [{ plugin: slow }] });
    const before = await addPod('web', 'mine');
    expect([before.spec?.nodeName, before.status?.nominatedNodeName]).toEqual([undefined, 'a']);

    ended.resolve();
    for (let i = 0; i < 5; i++) await cluster.settled();
    const after = await get('web');
    expect([after.spec?.nodeName, after.status?.nominatedNodeName]).toEqual(['a', undefined]);
  });

  test('the nomination ends when it cannot be bound', async () => {
    const { slow, ended } = waiting();
    await addNodes('a');
    await schedule(mine, { extraPlugins: [{ plugin: slow }] });
    await addPod('web', 'mine');
    ended.reject(new Error('broken'));
    for (let i = 0; i < 5; i++) await cluster.settled();
    const { status } = await get('web');
    expect(status?.nominatedNodeName).toBeUndefined();
    expect(status?.conditions).toMatchObject([{ message: 'running PreBind plugin "Slow": broken' }]);
  });

  test('rejections after a node was found have the same wording as those of nodes', async () => {
    const strict: PermitPlugin = { name: 'Strict', permit: () => ({ kind: 'reject', reason: 'not now' }) };
    await addNodes('a', 'b');
    await schedule(mine, { extraPlugins: [{ plugin: strict }] });
    const { status } = await addPod('web', 'mine');
    expect(status?.conditions).toMatchObject([
      { reason: 'Unschedulable', message: '0/1 nodes are available: 1 not now.' },
    ]);
  });
});

/** Labels may be written in any order. */
function sortLabels(line: string): string {
  return line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join()}}`);
}

test('a scheduler stops even if its informers have never synced', async () => {
  const made = makeScheduler({ profiles: [{ schedulerName: 'blind' }] });
  scheduler = made.scheduler;
  scheduler.start();
  await cluster.settled();
  expect(await scheduler[Symbol.asyncDispose]()).toBeUndefined();
});
