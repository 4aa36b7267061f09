import { type Node, type Pod, refs } from '@coracle/api';
import type { ApiRequest, Exchange } from '@coracle/apimachinery';
import { Activity, noTracer, seededRandom, silentLogger } from '@coracle/base';
import { createInformers } from '@coracle/client';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeNode } from '../builders.fixture.js';
import type { ExtenderConfiguration } from '../config/scheduler-configuration.js';
import { createScheduler, type Scheduler } from '../scheduler.js';

/** The request to an extender, with the names of Go's fields. */
interface Message {
  readonly NodeNames?: readonly string[];
  readonly NodeNameToMetaVictims?: Readonly<Record<string, unknown>>;
}

let cluster: Cluster;
let scheduler: Scheduler | undefined;
let requests: string[];
beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, seed: 1 });
  requests = [];
});
afterEach(async () => {
  await scheduler?.[Symbol.asyncDispose]();
  await cluster.stop();
});

function optionsOf() {
  const shared = { clock: cluster.clock, random: seededRandom(1), logger: silentLogger, tracer: noTracer };
  const options = { ...shared, activity: new Activity(), client: cluster.client };
  return { ...options, informers: createInformers(options), recorderFor: () => ({ event: () => {} }) };
}

type Answers = Readonly<Record<string, (message: Message) => unknown>>;

/**
 * An additional scheduler with an extender that returns this response. If it throws, the extender does not respond.
 */
async function scheduleWith(answers: Answers, more: Partial<ExtenderConfiguration> = {}): Promise<void> {
  const options = optionsOf();
  const exchange: Exchange = async ({ path, body }: ApiRequest) => {
    const verb = path.slice(1);
    requests.push(verb);
    const text = new TextDecoder().decode(body?.kind === 'bytes' ? body.bytes : new Uint8Array());
    const answer = JSON.stringify(answers[verb]?.(JSON.parse(text)) ?? {});
    return { status: 200, headers: {}, body: { kind: 'bytes', chunks: [new TextEncoder().encode(answer)] } };
  };
  const verbs = Object.fromEntries(Object.keys(answers).map((verb) => [`${verb}Verb`, verb]));
  scheduler = createScheduler({
    ...options,
    extenderTransport: () => exchange,
    configuration: {
      profiles: [{ schedulerName: 'mine' }],
      extenders: [{ urlPrefix: 'http://extender', nodeCacheCapable: true, weight: 1, ...verbs, ...more }],
    },
  });
  options.informers.start();
  scheduler.start();
  await settle();
}

async function settle(): Promise<void> {
  await cluster.clock.advance(1);
  for (let i = 0; i < 5; i++) await cluster.settled();
}

async function addPod(name: string, { cpu = '1', priority = 0 } = {}): Promise<Pod> {
  const pods = cluster.client.resource<Pod>(refs.pods, 'default');
  await cluster.client
    .priorityClasses()
    .create({ metadata: { name: `p${priority}` }, value: priority })
    .catch(() => undefined);
  await pods.create({
    metadata: { name },
    spec: {
      schedulerName: 'mine',
      priorityClassName: `p${priority}`,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'app', image: 'app', resources: { requests: { cpu } } }],
    },
  });
  await settle();
  return pods.get(name);
}

async function addNodes(...names: string[]): Promise<void> {
  for (const name of names) await cluster.client.resource<Node>(refs.nodes).create(makeNode(name));
  await settle();
}

const messageOf = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;

describe('a scheduler with an extender', () => {
  test('SCH-95 reports why the extender leaves no node, and tries again when anything happens', async () => {
    let isClosed = true;
    await addNodes('a');
    await scheduleWith({
      filter: ({ NodeNames = [] }) => (isClosed ? { FailedNodes: { a: 'closed' } } : { NodeNames }),
    });
    expect(messageOf(await addPod('web'))).toContain('0/1 nodes are available: 1 closed.');
    isClosed = false;
    await cluster.client
      .resource(refs.nodes)
      .patch('a', { metadata: { labels: { any: 'change' } } }, { type: 'merge' });
    await settle();
    await cluster.clock.advance(2_000);
    await settle();
    expect((await cluster.client.resource<Pod>(refs.pods, 'default').get('web')).spec?.nodeName).toBe('a');
  });

  test('SCH-95 an attempt fails with an extender that does not respond, unless it is ignorable', async () => {
    const filter = () => {
      throw new Error('connection refused');
    };
    await addNodes('a');
    await scheduleWith({ filter });
    const { status } = await addPod('web');
    expect(status?.conditions?.[0]).toMatchObject({
      reason: 'SchedulerError',
      message: 'Post "http://extender/filter": connection refused',
    });
    await scheduler?.[Symbol.asyncDispose]();
    await scheduleWith({ filter }, { ignorable: true });
    expect((await addPod('other')).spec?.nodeName).toBe('a');
  });

  test('SCH-25g binds itself where the extender does not, if it is ignorable', async () => {
    await addNodes('a');
    await scheduleWith({ bind: () => ({ Error: 'not mine' }) }, { ignorable: true });
    expect((await addPod('web')).spec?.nodeName).toBe('a');
    expect(requests).toEqual(['bind']);
  });

  test('SCH-103 preempts where the extender allows it', async () => {
    await addNodes('a', 'b');
    await scheduleWith({
      preempt: ({ NodeNameToMetaVictims }) => ({ NodeNameToMetaVictims: { b: NodeNameToMetaVictims?.['b'] } }),
    });
    for (const name of ['first', 'second']) await addPod(name, { cpu: '4' });
    expect((await addPod('urgent', { cpu: '4', priority: 10 })).spec?.nodeName).toBe('b');
    expect(requests).toEqual(['preempt']);
  });

  test.each<[string, (message: Message) => unknown, string]>([
    ['leaves no candidate', () => ({ NodeNameToMetaVictims: {} }), 'preemption: no candidate node for preemption'],
    [
      'names a node that is not there',
      () => ({ NodeNameToMetaVictims: { c: { Pods: [] } } }),
      'preemption: nodeinfo not found for node name "c"',
    ],
  ])('SCH-103 does not preempt if the extender %s', async (_, preempt, message) => {
    await addNodes('a');
    await scheduleWith({ preempt });
    await addPod('first', { cpu: '4' });
    expect(messageOf(await addPod('urgent', { cpu: '4', priority: 10 }))).toContain(message);
  });

  test('needs a transport', () => {
    const configuration = { extenders: [{ urlPrefix: 'http://extender' }] };
    const make = () => createScheduler({ ...optionsOf(), configuration });
    expect(make).toThrow('the configuration names extenders, but there is no way to reach them');
    scheduler = undefined;
  });
});
