import type { ApiRequest } from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { makeNodeInfo, makePodInfo } from '../builders.fixture.js';
import type { ExtenderConfiguration } from '../config/scheduler-configuration.js';
import { httpExtender } from './http-extender.js';

const verbs = {
  filterVerb: 'filter',
  prioritizeVerb: 'prioritize',
  bindVerb: 'bind',
  preemptVerb: 'preempt',
  weight: 3,
};
const pod = makePodInfo('p', { priority: 10 });
const nodes = [makeNodeInfo('a'), makeNodeInfo('b')];

/** An extender that always returns this response, and the requests that it received. */
function extenderThatSays(answer: unknown, more: Partial<ExtenderConfiguration> = {}, status = 200) {
  const sent: { path: string; message: unknown }[] = [];
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const exchange = async ({ path, body }: ApiRequest) => {
    const bytes = body?.kind === 'bytes' ? body.bytes : new Uint8Array();
    sent.push({ path, message: JSON.parse(new TextDecoder().decode(bytes)) });
    return { status, headers: {}, body: { kind: 'bytes' as const, chunks: [new TextEncoder().encode(text)] } };
  };
  const configuration = { urlPrefix: 'http://extender:8888/scheduler/', ...verbs, ...more };
  return { sent, extender: httpExtender(configuration, { clock: new VirtualClock(), transport: () => exchange }) };
}

const names = (list: readonly { readonly name: string }[] | undefined) => list?.map(({ name }) => name);

describe('SCH-95 an extender that filters', () => {
  test('gets whole nodes, and returns the remaining ones', async () => {
    const answer = { Nodes: { items: [{ metadata: { name: 'b' } }] }, FailedNodes: { a: 'too old' } };
    const { extender, sent } = extenderThatSays(answer);
    const verdict = await extender.filter?.(pod.pod, nodes);

    expect({ ...verdict, feasible: names(verdict?.feasible) }).toEqual({
      feasible: ['b'],
      failed: { a: 'too old' },
      unresolvable: {},
    });
    const { kind: _kind, apiVersion: _version, ...plain } = pod.pod;
    expect(sent).toEqual([
      {
        path: '/scheduler/filter',
        message: {
          Pod: plain,
          Nodes: {
            metadata: {},
            items: nodes.map(({ node: { metadata, spec, status } }) => ({ metadata, spec, status })),
          },
          NodeNames: null,
        },
      },
    ]);
  });

  test('that caches nodes gets their names; JSON keys are case-insensitive', async () => {
    const answer = { nodenames: ['a'], failedAndUnresolvableNodes: { b: 'gone' }, Error: '' };
    const { extender, sent } = extenderThatSays(answer, { nodeCacheCapable: true });
    const verdict = await extender.filter?.(pod.pod, nodes);

    expect([names(verdict?.feasible), verdict?.unresolvable]).toEqual([['a'], { b: 'gone' }]);
    expect(sent[0]?.message).toMatchObject({ Nodes: null, NodeNames: ['a', 'b'] });
  });

  test.each<[string, unknown, number, string]>([
    ['its own word', { Error: 'no licence' }, 200, 'no licence'],
    [
      'a node that was not in the request',
      { NodeNames: ['c'] },
      200,
      'extender "http://extender:8888/scheduler/" claims a filtered node "c" which is not found in the input node list',
    ],
    ['a status', {}, 503, 'failed filter with extender at URL http://extender:8888/scheduler/filter, code 503'],
    ['no JSON', 'ok', 200, 'JSON'],
    ['another type', { NodeNames: 'a' }, 200, 'the answer of the extender has "a" instead of a list'],
  ])('fails with %s', async (_, answer, status, message) => {
    const { extender } = extenderThatSays(answer, { nodeCacheCapable: true }, status);
    await expect(extender.filter?.(pod.pod, nodes)).rejects.toThrow(message);
  });

  test('leaves no node if it returns none', async () => {
    expect((await extenderThatSays({}).extender.filter?.(pod.pod, nodes))?.feasible).toEqual([]);
  });
});

test('SCH-97 scores of extenders go up to ten, times their weight', async () => {
  const scores = [
    { Host: 'a', Score: 10 },
    { host: 'b', score: 1 },
  ];
  expect(await extenderThatSays(scores).extender.prioritize?.(pod.pod, nodes)).toEqual(
    new Map([
      ['a', 300],
      ['b', 30],
    ]),
  );
});

test('SCH-25g an extender that binds receives the pod and the node', async () => {
  const { extender, sent } = extenderThatSays({});
  await extender.bind?.(pod, 'a');
  expect(sent).toEqual([
    { path: '/scheduler/bind', message: { PodName: 'p', PodNamespace: 'default', PodUID: 'p', Node: 'a' } },
  ]);
  await expect(extenderThatSays({ Error: 'not mine' }).extender.bind?.(pod, 'a')).rejects.toThrow('not mine');
});

describe('SCH-103 an extender that preempts', () => {
  const victim = makePodInfo('victim');
  const other = makePodInfo('other');
  const candidates = [{ node: 'a', pods: [victim], violations: 1 }];
  const podsOn = () => [victim, other];

  test('is sent the victims, and may name others', async () => {
    const answer = { NodeNameToMetaVictims: { a: { Pods: [{ UID: 'other' }], NumPDBViolations: 0 } } };
    const { extender, sent } = extenderThatSays(answer);

    expect(await extender.preempt?.(pod.pod, candidates, podsOn)).toEqual([
      { node: 'a', pods: [other], violations: 0 },
    ]);
    expect(sent[0]?.message).toMatchObject({
      NodeNameToVictims: { a: { Pods: [{ metadata: { name: 'victim' } }], NumPDBViolations: 1 } },
      NodeNameToMetaVictims: null,
    });
  });

  test('that caches nodes gets the uids', async () => {
    const { extender, sent } = extenderThatSays({}, { nodeCacheCapable: true });

    expect(await extender.preempt?.(pod.pod, candidates, podsOn)).toEqual([]);
    expect(sent[0]?.message).toMatchObject({
      NodeNameToVictims: null,
      NodeNameToMetaVictims: { a: { Pods: [{ UID: 'victim' }], NumPDBViolations: 1 } },
    });
  });

  test('must name pods that are there', async () => {
    const { extender } = extenderThatSays({ NodeNameToMetaVictims: { a: { Pods: [{ UID: 'x' }] } } });
    await expect(extender.preempt?.(pod.pod, candidates, podsOn)).rejects.toThrow(
      'extender: http://extender:8888/scheduler/ claims to preempt pod (UID: x) on node: a, but the pod is not found on that node',
    );
  });
});

test.each([
  ['all pods without resources to manage', undefined, {}, true],
  ['pods that request what it manages', 'example.com/gpu', { requests: { 'example.com/gpu': '1' } }, true],
  ['no others', 'example.com/gpu', { requests: { cpu: '1' } }, false],
])('SCH-95 an extender is interested in %s', (_, name, parts, interested) => {
  const { extender } = extenderThatSays({}, name === undefined ? {} : { managedResources: [{ name }] });
  expect(extender.isInterested(makePodInfo('q', parts).pod)).toBe(interested);
});

test.each([
  [undefined, 5_000],
  ['200ms', 200],
])('SCH-95 a response takes no longer than %s', async (httpTimeout, limit) => {
  const clock = new VirtualClock();
  const transport = () => () => new Promise<never>(() => {});
  const configuration = { urlPrefix: 'http://extender', filterVerb: 'filter', ...(httpTimeout && { httpTimeout }) };
  const answer = httpExtender(configuration, { clock, transport }).filter?.(pod.pod, nodes);
  const outcome = expect(answer).rejects.toThrow(/^Post "http:\/\/extender\/filter": context deadline exceeded/);
  const startedAt = clock.now();
  await clock.advance(limit);
  await outcome;
  expect(clock.now() - startedAt).toBe(limit);
});
