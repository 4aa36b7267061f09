import type { Lease, Node, NodeCondition } from '@coracle/api';
import { formatTime, parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/**
 * A node's heartbeats. All times are those of this process, when a heartbeat was observed, and monotonic: the clock of
 * the node may be wrong, and ours may be set.
 */
export interface HealthRecord {
  readonly probedAt: Millis;
  readonly readyChangedAt: Millis;
  /** The last reported conditions. */
  readonly ready: NodeCondition | undefined;
  readonly renewTime: string | undefined;
}

/** The same instant as the time of day, and as one that does not jump when that is set. */
export interface Instant {
  readonly now: Millis;
  readonly monotonic: Millis;
}

export interface NodeView {
  readonly node: Node;
  readonly lease: Lease | undefined;
  readonly instant: Instant;
}

/** Grace period without heartbeats. */
export interface GracePeriods {
  readonly running: Millis;
  /** The same for nodes that have never reported. */
  readonly starting: Millis;
}

/** Records new heartbeats, in the status or in the lease. */
export function observeNode(record: HealthRecord | undefined, { node, lease, instant }: NodeView): HealthRecord {
  const ready = conditionOf(node, 'Ready');
  const seen = observeStatus(record, { node, ready, instant });
  const renewTime = lease?.spec?.renewTime;
  if (renewTime === undefined || !isLater(renewTime, record?.renewTime)) return seen;
  return { ...seen, renewTime, probedAt: instant.monotonic };
}

function observeStatus(
  record: HealthRecord | undefined,
  {
    node,
    ready,
    instant,
  }: { readonly node: Node; readonly ready: NodeCondition | undefined; readonly instant: Instant },
): HealthRecord {
  const { monotonic: now } = instant;
  if (!record) {
    const since = ready ? now : createdAt(node, instant);
    return { ready, renewTime: undefined, probedAt: since, readyChangedAt: since };
  }
  if (!ready && !record.ready) return record;
  if (!ready || !record.ready) return { ...record, ready, probedAt: now, readyChangedAt: now };
  if (ready.lastHeartbeatTime === record.ready.lastHeartbeatTime) return record;
  const changed = ready.lastTransitionTime !== record.ready.lastTransitionTime;
  return { ...record, ready, probedAt: now, readyChangedAt: changed ? now : record.readyChangedAt };
}

function isLater(time: string, than: string | undefined): boolean {
  // Most checks find the same time, which need not be parsed again.
  return than === undefined || (time !== than && (parseTime(time) ?? 0) > (parseTime(than) ?? 0));
}

function createdAt({ metadata }: Node, { now, monotonic }: Instant): Millis {
  const age = now - (parseTime(metadata.creationTimestamp ?? '') ?? now);
  return monotonic - age;
}

export function conditionOf({ status }: Node, type: string): NodeCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export interface HealthVerdict {
  /** `True`, `False` or `Unknown`, before this check. */
  readonly observed: string;
  /** The current object. */
  readonly current: string;
  /** The conditions to write, if the grace period has passed. */
  readonly conditions?: readonly NodeCondition[];
}

/** Conditions that only the kubelet reports, and that become Unknown when it stops. */
const kubeletConditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

export function assessNode(
  node: Node,
  record: HealthRecord,
  { instant, grace }: { readonly instant: Instant; readonly grace: GracePeriods },
): HealthVerdict {
  const observed = conditionOf(node, 'Ready')?.status ?? 'Unknown';
  const allowed = conditionOf(node, 'Ready') ? grace.running : grace.starting;
  if (instant.monotonic <= record.probedAt + allowed) return { observed, current: observed };
  const conditions = unknownConditions(node, instant.now);
  return { observed, current: 'Unknown', ...(conditions && { conditions }) };
}

/** All conditions, with those of the kubelet set to unknown; `undefined` if they are already. */
function unknownConditions(node: Node, now: Millis): NodeCondition[] | undefined {
  const conditions = [...(node.status?.conditions ?? [])];
  let changed = false;
  for (const type of kubeletConditions) {
    const index = conditions.findIndex((condition) => condition.type === type);
    const current = conditions[index];
    if (current?.status === 'Unknown') continue;
    changed = true;
    if (current) conditions[index] = { ...current, ...silent, lastTransitionTime: formatTime(now) };
    else conditions.push({ type, ...neverHeard, ...since(node), lastTransitionTime: formatTime(now) });
  }
  return changed ? conditions : undefined;
}

const silent = {
  status: 'Unknown',
  reason: 'NodeStatusUnknown',
  message: 'Kubelet stopped posting node status.',
} as const;

const neverHeard = {
  status: 'Unknown',
  reason: 'NodeStatusNeverUpdated',
  message: 'Kubelet never posted node status.',
} as const;

function since({ metadata }: Node): { readonly lastHeartbeatTime?: string } {
  return metadata.creationTimestamp === undefined ? {} : { lastHeartbeatTime: metadata.creationTimestamp };
}
