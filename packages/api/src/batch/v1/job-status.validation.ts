import { duplicateField, type FieldError, FieldPath, invalidField, requiredField } from '@coracle/apimachinery';
import type { Job, JobCondition, JobSpec, JobStatus, UncountedTerminatedPods } from '../../generated/types/batch-v1.js';
import { checkNonNegative } from '../../validation/field-checks.js';
import { type IndexInterval, parseIndexes } from './job-indexes.js';
import { invalidWithoutValue } from './pod-failure-policy.validation.js';

const path = FieldPath.of('status');
const conditionsPath = path.child('conditions');

/** Validates the status of a job: consistent counts, and final conditions that are never removed. */
export function validateJobStatusUpdate(job: Job, previous: Job): FieldError[] {
  const status = job.status ?? {};
  const old = previous.status ?? {};
  const spec = job.spec ?? ({} as JobSpec);
  return [
    ...validateCounts(status),
    ...validateUncounted(status.uncountedTerminatedPods),
    ...validateConditions(status),
    ...validateTimes(status),
    ...validateFinished(status),
    ...validateIndexes(status, spec),
    ...validateTransition(status, old, spec),
  ];
}

function validateCounts(status: JobStatus): FieldError[] {
  const fields = ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const;
  const errors = fields.flatMap((field) => checkNonNegative(path.child(field), status[field]));
  const { ready = 0, active = 0 } = status;
  return ready > active
    ? [...errors, invalidField(path.child('ready'), ready, 'cannot set more ready pods than active')]
    : errors;
}

function validateUncounted(pods: UncountedTerminatedPods | undefined): FieldError[] {
  const seen = new Set<string>();
  return (['succeeded', 'failed'] as const).flatMap((list) =>
    (pods?.[list] ?? []).flatMap((uid, index) => {
      const at = path.child('uncountedTerminatedPods', list).index(index);
      if (uid === '') return [invalidField(at, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicateField(at, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

function has({ conditions = [] }: JobStatus, type: string): boolean {
  return conditions.some((condition: JobCondition) => condition.type === type && condition.status === 'True');
}

/** Conditions that exclude each other, or of which the one needs the other. */
function validateConditions(status: JobStatus): FieldError[] {
  const complete = has(status, 'Complete');
  const failed = has(status, 'Failed');
  const failing = has(status, 'FailureTarget');
  const succeeding = has(status, 'SuccessCriteriaMet');
  const rules: readonly [boolean, string][] = [
    [complete && failed, 'cannot set Complete=True and Failed=true conditions'],
    [complete && failing, 'cannot set Complete=True and FailureTarget=true conditions'],
    [failed && !failing, 'cannot set Failed=True condition without the FailureTarget=true condition'],
    [complete && !succeeding, 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition'],
    [succeeding && failed, 'cannot set SuccessCriteriaMet=True and Failed=true conditions'],
    [succeeding && failing, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'],
  ];
  return rules.filter(([broken]) => broken).map(([, problem]) => invalidWithoutValue(conditionsPath, problem));
}

function validateTimes(status: JobStatus): FieldError[] {
  const { startTime, completionTime } = status;
  const complete = has(status, 'Complete');
  const timePath = path.child('completionTime');
  if (completionTime === undefined) {
    return complete ? [requiredField(timePath, 'completionTime is required for Complete jobs')] : [];
  }
  const errors: FieldError[] = [];
  if (!complete) {
    const problem = 'cannot set completionTime when there is no Complete=True condition';
    errors.push(invalidField(timePath, completionTime, problem));
  }
  if (startTime !== undefined && completionTime < startTime) {
    errors.push(invalidField(timePath, completionTime, 'completionTime cannot be set before startTime'));
  }
  return errors;
}

/** A finished job has no active or uncounted pods. */
function validateFinished(status: JobStatus): FieldError[] {
  if (!has(status, 'Complete') && !has(status, 'Failed')) return [];
  const { active = 0, terminating = 0, startTime, uncountedTerminatedPods: pods } = status;
  const errors: FieldError[] = [];
  if (active > 0) errors.push(invalidField(path.child('active'), active, 'active>0 is invalid for finished job'));
  if (startTime === undefined)
    errors.push(requiredField(path.child('startTime'), 'startTime is required for finished job'));
  if ((pods?.failed?.length ?? 0) + (pods?.succeeded?.length ?? 0) > 0) {
    const problem = 'uncountedTerminatedPods needs to be empty for finished job';
    errors.push(invalidField(path.child('uncountedTerminatedPods'), pods, problem));
  }
  if (terminating > 0) {
    errors.push(invalidField(path.child('terminating'), terminating, 'terminating>0 is invalid for finished job'));
  }
  return errors;
}

function validateIndexes(status: JobStatus, spec: JobSpec): FieldError[] {
  const { completedIndexes = '', failedIndexes } = status;
  const { completions } = spec;
  const failedPath = path.child('failedIndexes');
  const errors: FieldError[] = [];
  if (completedIndexes !== '' && spec.completionMode !== 'Indexed') {
    const problem = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    errors.push(invalidField(path.child('completedIndexes'), completedIndexes, problem));
  }
  if (failedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    const problem = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    errors.push(invalidField(failedPath, failedIndexes, problem));
  }
  if (completions === undefined) return errors;
  const completed = parseIndexes(completedIndexes, completions);
  const failed = parseIndexes(failedIndexes ?? '', completions);
  if (typeof completed === 'string') {
    const problem = `error parsing completedIndexes: ${completed}`;
    errors.push(invalidField(path.child('completedIndexes'), completedIndexes, problem));
  }
  if (typeof failed === 'string')
    errors.push(invalidField(failedPath, failedIndexes, `error parsing failedIndexes: ${failed}`));
  if (typeof completed === 'string' || typeof failed === 'string') return errors;
  const shared = firstShared(completed, failed);
  if (shared === undefined) return errors;
  const problem = `failedIndexes and completedIndexes overlap at index: ${shared}`;
  return [...errors, invalidField(failedPath, failedIndexes, problem)];
}

/** Both are in order, so each interval is looked at once. */
function firstShared(left: readonly IndexInterval[], right: readonly IndexInterval[]): number | undefined {
  const [lefts, rights] = [left.values(), right.values()];
  let [one, other] = [lefts.next().value, rights.next().value];
  while (one && other && !intersect(one, other)) {
    if (one.first < other.first) one = lefts.next().value;
    else other = rights.next().value;
  }
  return one && other && Math.max(one.first, other.first);
}

function intersect(left: IndexInterval, right: IndexInterval): boolean {
  return left.first <= right.last && right.first <= left.last;
}

/** Once said, an end stays, and counters only grow. */
function validateTransition(status: JobStatus, old: JobStatus, { suspend }: JobSpec): FieldError[] {
  const errors = ['Failed', 'Complete', 'FailureTarget']
    .filter((type) => has(old, type) && !has(status, type))
    .map((type) => invalidWithoutValue(conditionsPath, `cannot disable the terminal ${type}=True condition`));
  for (const field of ['failed', 'succeeded'] as const) {
    const count = status[field] ?? 0;
    if (count < (old[field] ?? 0))
      errors.push(invalidField(path.child(field), count, `cannot decrease the ${field} counter`));
  }
  const { completionTime, startTime } = status;
  if (completionTime !== undefined && old.completionTime !== undefined && completionTime !== old.completionTime) {
    errors.push(invalidField(path.child('completionTime'), completionTime, 'completionTime cannot be mutated'));
  }
  // A job that is resumed starts again.
  const isResumed = has(old, 'Suspended') && !has(status, 'Suspended');
  if (old.startTime !== undefined && startTime !== old.startTime && !suspend && !isResumed) {
    errors.push(requiredField(path.child('startTime'), 'startTime cannot be removed for unsuspended job'));
  }
  const wasSucceeding = has(old, 'SuccessCriteriaMet');
  if (wasSucceeding && !has(status, 'SuccessCriteriaMet')) {
    errors.push(invalidWithoutValue(conditionsPath, 'cannot disable the SuccessCriteriaMet=True condition'));
  }
  if (has(old, 'Complete') && !wasSucceeding && has(status, 'SuccessCriteriaMet')) {
    const problem = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions';
    errors.push(invalidWithoutValue(conditionsPath, problem));
  }
  return errors;
}
