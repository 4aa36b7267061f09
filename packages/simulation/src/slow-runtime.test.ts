import { type Clock, type Random, seededRandom, sleep } from '@coracle/base';
import { CriError, type RuntimeService } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { node, podOf, startTestNodes, web } from './nodes.fixture.js';

/** The runtime calls of the kubelet for one pod, with start and end. */
interface Call {
  readonly name: string;
  readonly pod: string;
  readonly from: number;
  to: number;
}

const starting = new Set(['runPodSandbox', 'createContainer', 'startContainer']);
const ending = new Set(['stopContainer', 'stopPodSandbox', 'removePodSandbox']);

interface Faults {
  readonly clock: () => Clock;
  readonly random: Random;
  readonly calls: Call[];
  /** How often a call is executed and its response lost. */
  readonly lost?: number;
}

/** Every call is delayed by up to five seconds before and after it takes effect. */
function slowRuntime(runtime: RuntimeService, faults: Faults): RuntimeService {
  const podBy = new Map<string, string>();
  return new Proxy(runtime, {
    get: (target, name: keyof RuntimeService) => {
      const method = target[name];
      if (typeof method !== 'function') return method;
      const bound = (method as (request: never) => Promise<Record<string, string>>).bind(target);
      if (!starting.has(name) && !ending.has(name)) return bound;
      return (request: never) => slowCall({ name, request, faults, podBy, bound });
    },
  });
}

interface SlowCall {
  readonly name: string;
  readonly request: object;
  readonly faults: Faults;
  readonly podBy: Map<string, string>;
  readonly bound: (request: never) => Promise<Record<string, string>>;
}

async function slowCall({ name, request, faults, podBy, bound }: SlowCall): Promise<Record<string, string>> {
  const { clock, random, calls, lost = 0 } = faults;
  const { config, podSandboxId, containerId } = request as {
    config?: { metadata?: { uid?: string } };
    podSandboxId?: string;
    containerId?: string;
  };
  const pod = config?.metadata?.uid ?? podBy.get(containerId ?? podSandboxId ?? '') ?? '';
  const call = { name, pod, from: clock().now(), to: Number.POSITIVE_INFINITY };
  calls.push(call);
  await sleep(clock(), random.next() * 5_000);
  const answer = await bound(request as never);
  for (const id of [answer['podSandboxId'], answer['containerId']]) if (id) podBy.set(id, pod);
  await sleep(clock(), random.next() * 5_000);
  call.to = clock().now();
  if (random.next() < lost) throw new CriError('DeadlineExceeded', 'context deadline exceeded');
  return answer;
}

/** Pairs of calls about one pod that overlap though one begins something and the other ends it. */
function clashes(calls: readonly Call[]): string[] {
  return calls.flatMap((one) =>
    calls
      .filter((other) => starting.has(one.name) && ending.has(other.name) && one.pod === other.pod)
      .filter((other) => one.from < other.to && other.from < one.to)
      .map((other) => `${one.name} beside ${other.name}`),
  );
}

describe('a runtime that takes seconds for every call', () => {
  test.each([1, 2, 3, 4, 5])(
    'never runs two passes of one pod at once, and nothing is left (seed %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const calls: Call[] = [];
      const clockOf = () => clock;
      const wrapRuntime = (runtime: RuntimeService) => slowRuntime(runtime, { clock: clockOf, random, calls });
      const { clock, pods, nodes } = await startTestNodes(1, { wrapRuntime });
      const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
      for (const name of names)
        await pods.create(podOf(name, { terminationGracePeriodSeconds: 1, containers: [web] }, {}));
      for (const name of names) {
        await clock.advance(Math.floor(random.next() * 4_000));
        await pods.delete(name);
      }
      await clock.advance(300_000);
      expect((await pods.list()).items).toEqual([]);
      expect(await nodes.runtimeOf(node)?.listPodSandbox({})).toEqual({ items: [] });
      expect(clashes(calls)).toEqual([]);
    },
  );

  test.each([1, 2, 3])('loses no sandbox whose creation had no response (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const calls: Call[] = [];
    const clockOf = () => clock;
    const wrapRuntime = (runtime: RuntimeService) => slowRuntime(runtime, { clock: clockOf, random, calls, lost: 0.3 });
    const { clock, pods, nodes } = await startTestNodes(1, { wrapRuntime });
    const names = Array.from({ length: 6 }, (_, index) => `p${index}`);
    for (const name of names)
      await pods.create(podOf(name, { terminationGracePeriodSeconds: 1, containers: [web] }, {}));
    await clock.advance(600_000);
    const { items = [] } = (await nodes.runtimeOf(node)?.listPodSandbox({})) ?? {};
    expect(items.filter(({ state }) => state === 0).length).toBe(6);
    for (const name of names) await pods.delete(name);
    await clock.advance(900_000);
    expect((await pods.list()).items).toEqual([]);
    expect(await nodes.runtimeOf(node)?.listPodSandbox({})).toEqual({ items: [] });
  });

  test('a deletion does not wait for an image that is being pulled', async () => {
    const { clock, pods } = await startTestNodes(1);
    await pods.create(podOf('p', { terminationGracePeriodSeconds: 1 }, { 'pull-delay': '1h' }));
    await clock.advance(10_000);
    await pods.delete('p');
    await clock.advance(5_000);
    expect((await pods.list()).items).toEqual([]);
  });
});
