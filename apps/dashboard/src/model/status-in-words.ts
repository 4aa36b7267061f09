import type { KubeObject } from '@coracle/apimachinery';
import type { PodState } from './pod-map.js';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly image?: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: { readonly reason?: string; readonly exitCode?: number; readonly message?: string };
}

export interface AnySpec {
  readonly [field: string]: unknown;
}

/** An object of any kind, whose fields are unchecked. */
export interface AnyKube extends KubeObject {
  readonly spec?: AnySpec;
  readonly status?: AnySpec & { readonly conditions?: readonly Condition[]; readonly phase?: string };
}

/** One statement about an object: the name of a sentence in the texts of a language, with its arguments. */
export interface StatusNote {
  readonly look: PodState;
  readonly says:
    | 'ending'
    | 'waitsForFinalizers'
    | 'gated'
    | 'notScheduled'
    | 'containerWaits'
    | 'containerFailed'
    | 'containerNotReady'
    | 'podFailed'
    | 'podDone'
    | 'podRuns'
    | 'podStarts'
    | 'replicas'
    | 'progressing'
    | 'stuck'
    | 'condition'
    | 'ready'
    | 'fine';
  readonly with: Readonly<Record<string, string | number>>;
}

/** The state of an object, the worst first. Never empty. */
export function statusNotesOf(object: AnyKube, kind: string): readonly StatusNote[] {
  const found = [...endingOf(object), ...(kind === 'Pod' ? podNotes(object) : otherNotes(object))];
  return found.length > 0 ? found : [{ look: 'running', says: 'fine', with: {} }];
}

function endingOf({ metadata }: AnyKube): StatusNote[] {
  if (!metadata.deletionTimestamp) return [];
  const finalizers = metadata.finalizers ?? [];
  if (finalizers.length === 0) return [{ look: 'ending', says: 'ending', with: {} }];
  return [{ look: 'ending', says: 'waitsForFinalizers', with: { finalizers: finalizers.join(', ') } }];
}

function podNotes({ spec, status }: AnyKube): StatusNote[] {
  const gates = (spec?.['schedulingGates'] as { name: string }[] | undefined) ?? [];
  if (gates.length > 0)
    return [{ look: 'waiting', says: 'gated', with: { gates: gates.map(({ name }) => name).join(', ') } }];
  const conditions = status?.conditions ?? [];
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False')
    return [{ look: 'waiting', says: 'notScheduled', with: { why: scheduled.message ?? scheduled.reason ?? '' } }];
  if (status?.phase === 'Failed')
    return [{ look: 'failing', says: 'podFailed', with: { why: String(status['message'] ?? status['reason'] ?? '') } }];
  if (status?.phase === 'Succeeded') return [{ look: 'done', says: 'podDone', with: {} }];
  const containers = [...listAt(status, 'initContainerStatuses'), ...listAt(status, 'containerStatuses')];
  const troubles = containers.flatMap(containerNote);
  if (troubles.length > 0) return troubles;
  const node = String(spec?.['nodeName'] ?? '');
  return status?.phase === 'Running'
    ? [{ look: 'running', says: 'podRuns', with: { node } }]
    : [{ look: 'waiting', says: 'podStarts', with: { node } }];
}

export function listAt(status: AnySpec | undefined, field: string): readonly ContainerStatus[] {
  return (status?.[field] as ContainerStatus[] | undefined) ?? [];
}

function containerNote({ name, state, lastState, ready, restartCount = 0 }: ContainerStatus): StatusNote[] {
  const { waiting, terminated, running } = state ?? {};
  if (waiting?.reason && waiting.reason !== 'PodInitializing' && waiting.reason !== 'ContainerCreating') {
    const last = lastState?.terminated;
    const ended = last ? `${last.reason ?? ''} (${last.exitCode ?? '?'})` : '';
    const why = [waiting.reason, waiting.message].filter(Boolean).join(': ');
    return [{ look: 'failing', says: 'containerWaits', with: { name, why, ended, restarts: restartCount } }];
  }
  if (terminated && terminated.exitCode !== 0) {
    const why = terminated.reason ?? 'Error';
    return [{ look: 'failing', says: 'containerFailed', with: { name, why, code: terminated.exitCode ?? '?' } }];
  }
  return running && ready === false ? [{ look: 'waiting', says: 'containerNotReady', with: { name } }] : [];
}

/** Conditions whose absence is good. */
const badWhenTrue =
  /Pressure$|Failure$|Failed$|Unavailable$|Degraded$|Stalled$|^Suspended$|Disrupted|^NonStructuralSchema$/;
/** Conditions without a judgement. */
const neutral =
  /^(Progressing|Initialized|Complete|SuccessCriteriaMet|FailureTarget|ScalingLimited|DisruptionAllowed|.*Resizing)$/;

function otherNotes({ spec, status }: AnyKube): StatusNote[] {
  const conditions = status?.conditions ?? [];
  const found: StatusNote[] = [];
  const desired = numberAt(spec, 'replicas') ?? numberAt(status, 'desiredNumberScheduled');
  const ready = numberAt(status, 'readyReplicas') ?? numberAt(status, 'numberReady') ?? 0;
  const progressing = conditions.find(({ type }) => type === 'Progressing');
  if (progressing?.status === 'False')
    found.push({ look: 'failing', says: 'stuck', with: { why: progressing.message ?? '' } });
  if (desired !== undefined)
    found.push({ look: ready >= desired ? 'running' : 'waiting', says: 'replicas', with: { ready, desired } });
  for (const { type, status: value, message, reason } of conditions) {
    if (neutral.test(type) || value === (badWhenTrue.test(type) ? 'False' : 'True')) continue;
    if (desired !== undefined && type === 'Available' && ready < desired && found.length > 1) continue;
    const look = value === 'Unknown' || type === 'Available' ? 'waiting' : 'failing';
    found.push({ look, says: 'condition', with: { type, value, why: message ?? reason ?? '' } });
  }
  if (found.length === 0 && conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True'))
    found.push({ look: 'running', says: 'ready', with: {} });
  if (found.length === 0 && status?.phase)
    found.push({
      look: looks[status.phase] ?? 'waiting',
      says: 'condition',
      with: { type: status.phase, value: '', why: '' },
    });
  return found;
}

const looks: Readonly<Record<string, PodState>> = {
  Active: 'running',
  Bound: 'running',
  Available: 'running',
  Terminating: 'ending',
  Failed: 'failing',
  Lost: 'failing',
};

function numberAt(record: AnySpec | undefined, field: string): number | undefined {
  const value = record?.[field];
  return typeof value === 'number' ? value : undefined;
}

const worst: readonly PodState[] = ['failing', 'ending', 'waiting', 'running', 'done'];

/** The look of the worst note. */
export function lookOf(notes: readonly StatusNote[]): PodState {
  return worst.find((look) => notes.some((one) => one.look === look)) ?? 'running';
}
