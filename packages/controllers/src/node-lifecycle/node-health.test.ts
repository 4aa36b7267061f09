import type { Lease, Node } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { assessNode, type HealthRecord, type Instant, observeNode } from './node-health.js';

const start = Date.UTC(2026, 0, 1);
const at = (seconds: number) => start + seconds * 1000;
/** So many seconds after the start; the time of day may have been set forward by then. */
const instant = (seconds: number, setForwardMs = 0): Instant => ({
  now: at(seconds) + setForwardMs,
  monotonic: at(seconds),
});
const time = (seconds: number) => formatTime(at(seconds));
const grace = { running: 50_000, starting: 60_000 };

function node(heartbeat?: number, status = 'True'): Node {
  const ready = { type: 'Ready', status, lastTransitionTime: time(0) };
  return {
    metadata: { name: 'n', creationTimestamp: time(0) },
    status: { conditions: heartbeat === undefined ? [] : [{ ...ready, lastHeartbeatTime: time(heartbeat) }] },
  };
}

const lease = (seconds: number): Lease => ({ metadata: { name: 'n' }, spec: { renewTime: time(seconds) } });

describe('NL-23a heartbeats', () => {
  const record: HealthRecord = observeNode(undefined, { node: node(0), lease: lease(0), instant: instant(10) });
  const cases: [string, Node, Lease | undefined, number][] = [
    ['nothing new leaves the time as it was', node(0), lease(0), at(10)],
    ['a new heartbeat counts from when it is seen', node(5), lease(0), at(20)],
    ['a renewed lease counts as well', node(0), lease(5), at(20)],
    ['a lease that goes back in time does not', node(0), lease(-5), at(10)],
    ['a lost condition counts as news', node(), lease(0), at(20)],
  ];
  test.each(cases)('%s', (_name, now, its, probedAt) => {
    expect(observeNode(record, { node: now, lease: its, instant: instant(20) }).probedAt).toBe(probedAt);
  });

  test('a node without a heartbeat counts from its creation', () => {
    expect(observeNode(undefined, { node: node(), lease: undefined, instant: instant(30) }).probedAt).toBe(at(0));
  });

  test('a node is as silent as before when the time of day is set', () => {
    const set = instant(20, 3_600_000);
    const seen = observeNode(record, { node: node(0), lease: lease(0), instant: set });
    expect(assessNode(node(0), seen, { instant: set, grace }).current).toBe('True');
  });
});

describe('NL-24 the health of a node', () => {
  const record = (probed: number): HealthRecord => ({
    probedAt: at(probed),
    readyChangedAt: at(0),
    ready: undefined,
    renewTime: undefined,
  });

  test('no heartbeat within the grace period changes nothing', () => {
    expect(assessNode(node(0), record(0), { instant: instant(50), grace })).toEqual({
      observed: 'True',
      current: 'True',
    });
  });

  test('after it all conditions of the kubelet are Unknown', () => {
    const { observed, current, conditions } = assessNode(node(0), record(0), { instant: instant(51), grace });
    expect([observed, current]).toEqual(['True', 'Unknown']);
    expect(conditions).toMatchObject([
      {
        type: 'Ready',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
        lastHeartbeatTime: time(0),
        lastTransitionTime: time(51),
      },
      { type: 'MemoryPressure', reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' },
      { type: 'DiskPressure', status: 'Unknown' },
      { type: 'PIDPressure', status: 'Unknown' },
    ]);
  });

  test('a node that has never spoken has a minute', () => {
    expect(assessNode(node(), record(0), { instant: instant(60), grace }).conditions).toBeUndefined();
    expect(assessNode(node(), record(0), { instant: instant(61), grace }).conditions).toHaveLength(4);
  });

  test('an Unknown condition is not written again', () => {
    const { conditions = [] } = assessNode(node(0), record(0), { instant: instant(51), grace });
    const silent = { ...node(0), status: { conditions: [...conditions] } };
    expect(assessNode(silent, record(0), { instant: instant(99), grace })).toEqual({
      observed: 'Unknown',
      current: 'Unknown',
    });
  });
});
