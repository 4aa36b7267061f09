import type { appsv1, Deployment, ReplicaSet } from '@coracle/api';
import { formatTime, parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { desiredReplicas, rolloutBounds, sum } from './rollout-math.js';

type Condition = appsv1.DeploymentCondition;
type Status = appsv1.DeploymentStatus;

export interface StatusView {
  readonly deployment: Deployment;
  readonly current: ReplicaSet | undefined;
  readonly all: readonly ReplicaSet[];
  readonly now: Millis;
}

/** The numbers, and whether enough pods are available. `withProgress` adds the condition Progressing. */
export function computeStatus({ deployment, current, all, now }: StatusView): Status {
  const available = sum(all, ({ status }) => status?.availableReplicas);
  const total = sum(all, ({ status }) => status?.replicas);
  const counts = {
    replicas: total,
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum(all, ({ status }) => status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sum(all, ({ spec }) => spec?.replicas) - available),
  };
  const enough = available >= desiredReplicas(deployment) - rolloutBounds(deployment).maxUnavailable;
  const condition: Omit<Condition, 'lastTransitionTime' | 'lastUpdateTime'> = enough
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
  const { collisionCount } = deployment.status ?? {};
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    terminatingReplicas: sum(all, ({ status }) => status?.terminatingReplicas),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: setCondition(deployment.status?.conditions ?? [], condition, now),
  };
}

/** Whether all desired pods are of the newest revision and available, and there are no others. */
export function isComplete(deployment: Deployment, status: Status): boolean {
  const desired = desiredReplicas(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  return (
    updatedReplicas === desired &&
    replicas === desired &&
    availableReplicas === desired &&
    observedGeneration >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed(before: Status, after: Status): boolean {
  const old = (status: Status) => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

/** The maximum of an int32 means no deadline. */
export function deadlineMs({ spec }: Deployment): Millis | undefined {
  const seconds = spec?.progressDeadlineSeconds;
  return seconds === undefined || seconds === 2_147_483_647 ? undefined : seconds * 1000;
}

/** A new revision restarts the deadline, even before it has a pod; so does a missing condition. */
export function withStart(
  { deployment, current, now }: StatusView,
  status: Status,
  { isNew }: { readonly isNew: boolean },
): Status {
  const conditions = status.conditions ?? [];
  const exists = conditions.some(({ type }) => type === 'Progressing');
  if (deadlineMs(deployment) === undefined || !current || (exists && !isNew)) return status;
  const name = JSON.stringify(current.metadata.name);
  const condition = isNew
    ? { reason: 'NewReplicaSetCreated', message: `Created new replica set ${name}` }
    : { reason: 'FoundNewReplicaSet', message: `Found new replica set ${name}` };
  return {
    ...status,
    conditions: setCondition(conditions, { type: 'Progressing', status: 'True', ...condition }, now),
  };
}

/** The progress of the rollout: progressing, complete, or past its deadline. */
export function withProgress({ deployment, current, now }: StatusView, status: Status): Status {
  const deadline = deadlineMs(deployment);
  const conditions = status.conditions ?? [];
  if (deadline === undefined) return { ...status, conditions: conditions.filter(({ type }) => type !== 'Progressing') };
  const progressing = conditions.find(({ type }) => type === 'Progressing');
  const settled =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && progressing?.reason === 'NewReplicaSetAvailable';
  if (settled) return status;
  const subject = current
    ? `ReplicaSet ${JSON.stringify(current.metadata.name)}`
    : `Deployment ${JSON.stringify(deployment.metadata.name)}`;
  if (isComplete(deployment, status)) {
    const done = {
      type: 'Progressing',
      status: 'True',
      reason: 'NewReplicaSetAvailable',
      message: `${subject} has successfully progressed.`,
    };
    return { ...status, conditions: setCondition(conditions, done, now) };
  }
  if (hasProgressed(deployment.status ?? {}, status)) {
    const moving = {
      type: 'Progressing',
      status: 'True',
      reason: 'ReplicaSetUpdated',
      message: `${subject} is progressing.`,
    };
    return { ...status, conditions: refreshCondition(conditions, moving, now) };
  }
  if (isTimedOut(progressing, deadline, now)) {
    const stuck = {
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: `${subject} has timed out progressing.`,
    };
    return { ...status, conditions: setCondition(conditions, stuck, now) };
  }
  return status;
}

function isTimedOut(progressing: Condition | undefined, deadline: Millis, now: Millis): boolean {
  if (!progressing || progressing.reason === 'NewReplicaSetAvailable') return false;
  if (progressing.reason === 'ProgressDeadlineExceeded') return true;
  const since = parseTime(progressing.lastUpdateTime ?? '');
  return since !== undefined && since + deadline < now;
}

/** When a rollout without progress exceeds its deadline. */
export function deadlineIn(deployment: Deployment, status: Status, now: Millis): Millis | undefined {
  const deadline = deadlineMs(deployment);
  const progressing = status.conditions?.find(({ type }) => type === 'Progressing');
  if (
    deadline === undefined ||
    !progressing ||
    isComplete(deployment, status) ||
    progressing.reason === 'ProgressDeadlineExceeded'
  )
    return undefined;
  const since = parseTime(progressing.lastUpdateTime ?? '');
  return since === undefined ? undefined : Math.max(0, since + deadline - now) + 1000;
}

/** Copies the ReplicaFailure condition of a replica set, with its times. */
export function withFailures(status: Status, all: readonly ReplicaSet[], current: ReplicaSet | undefined): Status {
  const conditions = status.conditions ?? [];
  const failed = [...(current ? [current] : []), ...all]
    .flatMap(({ status: own }) => own?.conditions ?? [])
    .find(({ type }) => type === 'ReplicaFailure');
  const before = conditions.find(({ type }) => type === 'ReplicaFailure');
  if (failed && isSame(before, failed)) return { ...status, conditions };
  const others = conditions.filter((one) => one !== before);
  if (!failed) return { ...status, conditions: others };
  const { lastTransitionTime = '' } = failed;
  return { ...status, conditions: [...others, { ...failed, lastUpdateTime: lastTransitionTime } as Condition] };
}

type NewCondition = Omit<Condition, 'lastTransitionTime' | 'lastUpdateTime'>;

/** Unchanged while status and reason stay the same. */
export function setCondition(conditions: readonly Condition[], condition: NewCondition, now: Millis): Condition[] {
  const current = conditions.find(({ type }) => type === condition.type);
  return isSame(current, condition) ? [...conditions] : refreshCondition(conditions, condition, now);
}

function isSame(one: Condition | undefined, other: { readonly status: string; readonly reason?: string }): boolean {
  return one?.status === other.status && one.reason === other.reason;
}

/** The same, but the update time always changes. */
function refreshCondition(conditions: readonly Condition[], condition: NewCondition, now: Millis): Condition[] {
  const current = conditions.find(({ type }) => type === condition.type);
  const time = formatTime(now);
  const lastTransitionTime =
    current?.status === condition.status && current.lastTransitionTime ? current.lastTransitionTime : time;
  return [
    ...conditions.filter(({ type }) => type !== condition.type),
    { ...condition, lastUpdateTime: time, lastTransitionTime } as Condition,
  ];
}
