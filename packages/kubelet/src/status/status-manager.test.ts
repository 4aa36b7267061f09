import type { Pod } from '@coracle/api';
import { type ApiRequest, notFound } from '@coracle/apimachinery';
import { Activity, noTracer, silentLogger, VirtualClock } from '@coracle/base';
import { createClient } from '@coracle/client';
import { describe, expect, test } from 'vitest';
import { StatusManager } from './status-manager.js';

const pod: Pod = { metadata: { name: 'p', namespace: 'default', uid: 'u' }, status: { phase: 'Pending' } };

/** Answers each request with the next of `answers`; a pod when there are none left. */
function managed(answers: (() => unknown)[] = []) {
  const clock = new VirtualClock();
  const sent: { method: string; body: unknown }[] = [];
  const exchange = async (request: ApiRequest) => {
    const body = request.body?.kind === 'value' ? request.body.value : undefined;
    sent.push({ method: request.method, body });
    const patch = (body ?? {}) as Partial<Pod>;
    const answer = answers.shift() ?? (() => ({ ...pod, status: { ...pod.status, ...patch.status } }));
    return { status: 200, headers: {}, body: { kind: 'value' as const, value: answer() } };
  };
  const client = createClient({ transport: { exchange }, user: { name: 'kubelet', groups: [] } });
  const options = { client, clock, logger: silentLogger, tracer: noTracer, activity: new Activity() };
  return { clock, sent, statuses: new StatusManager(options) };
}

describe('StatusManager', () => {
  test('K26.4 sends only differences, with the uid of the pod', async () => {
    const { clock, sent, statuses } = managed();
    statuses.set(pod, { phase: 'Pending', podIP: '10.0.0.2' });
    await clock.settle();
    expect(sent).toEqual([{ method: 'PATCH', body: { metadata: { uid: 'u' }, status: { podIP: '10.0.0.2' } } }]);
    statuses.set(pod, { phase: 'Pending', podIP: '10.0.0.2' });
    await clock.settle();
    expect(sent.length).toBe(1);
  });

  test('K26.6 while one request is under way only the newest status waits', async () => {
    const { clock, sent, statuses } = managed();
    statuses.set(pod, { phase: 'Pending', message: 'one' });
    statuses.set(pod, { phase: 'Pending', message: 'two' });
    statuses.set(pod, { phase: 'Pending', message: 'three' });
    await clock.settle();
    expect(sent.map(({ body }) => (body as Pod).status?.message)).toEqual(['one', 'three']);
  });

  test('K26.7 deletes the pod once its last status is written', async () => {
    const { clock, sent, statuses } = managed();
    statuses.finish(pod, { phase: 'Failed' });
    await clock.settle();
    expect(sent.map(({ method }) => method)).toEqual(['PATCH', 'DELETE']);
    expect(sent[1]?.body).toMatchObject({ gracePeriodSeconds: 0, preconditions: { uid: 'u' } });
  });

  test('deletes a pod once, also when its worker finishes again before the deletion is seen', async () => {
    const { clock, sent, statuses } = managed();
    statuses.finish(pod, { phase: 'Failed' });
    await clock.settle();
    statuses.finish(pod, { phase: 'Failed' });
    await clock.settle();
    expect(sent.map(({ method }) => method)).toEqual(['PATCH', 'DELETE']);
  });

  test('K26.4 drops a deleted pod, and retries any other failure', async () => {
    const gone = () => {
      throw notFound({ group: '', resource: 'pods' }, 'p');
    };
    const broken = () => {
      throw new Error('connection lost');
    };
    const first = managed([gone]);
    first.statuses.set(pod, { phase: 'Running' });
    await first.clock.advance(60_000);
    expect([first.sent.length, first.clock.pending]).toEqual([1, 0]);
    const second = managed([broken]);
    second.statuses.set(pod, { phase: 'Running' });
    await second.clock.advance(60_000);
    expect(second.sent.length).toBe(2);
  });

  test('does not send again what the API returns in another form', async () => {
    const { clock, sent, statuses } = managed([() => ({ ...pod, status: { phase: 'Running', message: 'shortened' } })]);
    statuses.set(pod, { phase: 'Running', message: 'a long message' });
    await clock.settle();
    statuses.set(pod, { phase: 'Running', message: 'a long message' });
    await clock.settle();
    expect(sent.length).toBe(1);
  });

  test('reports whether another client wrote the status', async () => {
    const { clock, statuses } = managed();
    statuses.set(pod, { phase: 'Running' });
    await clock.settle();
    expect(statuses.observe({ ...pod, status: { phase: 'Running' } })).toBe(false);
    expect(statuses.observe({ ...pod, status: { phase: 'Failed', reason: 'Evicted' } })).toBe(true);
  });
});
