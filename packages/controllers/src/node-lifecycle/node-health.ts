import type { Lease, Node, NodeCondition } from '@coracle/api';
import { formatTime, parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/**
 * A node's heartbeats. All times are those of this process, when a heartbeat was observed:
 * the clock of the node may be wrong.
 */
export interface HealthRecord {
  readonly probedAt: Millis;
  readonly readyChangedAt: Millis;
  /** As the node last said it. */
  readonly ready: NodeCondition | undefined;
  readonly renewTime: string | undefined;
}

export interface NodeView {
  readonly node: Node;
  readonly lease: Lease | undefined;
  readonly now: Millis;
}

/** How long a node may be silent. */
export interface GracePeriods {
  readonly running: Millis;
  /** For one that has never said anything. */
  readonly starting: Millis;
}

/** Records new heartbeats, in the status or in the lease. */
export function observeNode(record: HealthRecord | undefined, { node, lease, now }: NodeView): HealthRecord {
  const ready = conditionOf(node, 'Ready');
  const seen = observeStatus(record, { node, ready, now });
  const renewTime = lease?.spec?.renewTime;
  if (renewTime === undefined || !isLater(renewTime, record?.renewTime)) return seen;
  return { ...seen, renewTime, probedAt: now };
}

function observeStatus(
  record: HealthRecord | undefined,
  { node, ready, now }: { readonly node: Node; readonly ready: NodeCondition | undefined; readonly now: Millis },
): HealthRecord {
  if (!record) {
    const since = ready ? now : createdAt(node, now);
    return { ready, renewTime: undefined, probedAt: since, readyChangedAt: since };
  }
  if (!ready && !record.ready) return record;
  if (!ready || !record.ready) return { ...record, ready, probedAt: now, readyChangedAt: now };
  if (ready.lastHeartbeatTime === record.ready.lastHeartbeatTime) return record;
  const changed = ready.lastTransitionTime !== record.ready.lastTransitionTime;
  return { ...record, ready, probedAt: now, readyChangedAt: changed ? now : record.readyChangedAt };
}

function isLater(time: string, than: string | undefined): boolean {
  // Most checks find the time of the last one, which need not be parsed again.
  return than === undefined || (time !== than && (parseTime(time) ?? 0) > (parseTime(than) ?? 0));
}

function createdAt({ metadata }: Node, otherwise: Millis): Millis {
  return parseTime(metadata.creationTimestamp ?? '') ?? otherwise;
}

export function conditionOf({ status }: Node, type: string): NodeCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export interface HealthVerdict {
  /** `True`, `False` or `Unknown`, as it stood before this look. */
  readonly observed: string;
  /** The current object. */
  readonly current: string;
  /** To be written, if the node has been silent for too long. */
  readonly conditions?: readonly NodeCondition[];
}

/** Conditions that only the kubelet reports, and that become Unknown when it stops. */
const kubeletConditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

export function assessNode(
  node: Node,
  record: HealthRecord,
  { now, grace }: { now: Millis; grace: GracePeriods },
): HealthVerdict {
  const observed = conditionOf(node, 'Ready')?.status ?? 'Unknown';
  const allowed = conditionOf(node, 'Ready') ? grace.running : grace.starting;
  if (now <= record.probedAt + allowed) return { observed, current: observed };
  const conditions = unknownConditions(node, now);
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
