import {
  type FieldError,
  FieldPath,
  invalidField,
  isDns1123Label,
  isDomainPrefixedPath,
  LabelSelector,
  notSupportedField,
  requiredField,
  scoped,
  tooLongField,
  validateLabelSelector,
} from '@coracle/apimachinery';
import { printSelector } from '../../apps/v1/workload.validation.js';
import { validatePodTemplateSpec } from '../../core/v1/pod-template.validation.js';
import { validateSelected } from '../../core/v1/replication-controller.validation.js';
import type { Job, JobSpec } from '../../generated/types/batch-v1.js';
import { checkNonNegative, checkRequiredValue, checkSupported } from '../../validation/field-checks.js';
import {
  controllerUidLabel,
  jobNameLabel,
  jobPodLabels,
  legacyControllerUidLabel,
  legacyJobNameLabel,
} from './job-selector.js';
import { validatePodFailurePolicy } from './pod-failure-policy.validation.js';
import { validateSuccessPolicy } from './success-policy.validation.js';

const specPath = FieldPath.of('spec');

export function validateJob(job: Job): FieldError[] {
  const spec = job.spec ?? ({} as JobSpec);
  return [
    ...validateGeneratedSelector(job),
    ...validateSelectingJobSpec(specPath, spec),
    ...validateHostname(job, spec),
  ];
}

/** Jobs of older releases had these labels without their prefix only. */
const prefixedLabels: ReadonlySet<string> = new Set([controllerUidLabel, jobNameLabel]);

/** A selector that was generated finds the job's pods by name and uid, and their template must have both. */
function validateGeneratedSelector(job: Job): FieldError[] {
  const { manualSelector, selector, template } = job.spec ?? ({} as JobSpec);
  if (manualSelector || !selector) return [];
  const expected = jobPodLabels(job);
  const labels = template?.metadata?.labels ?? {};
  const labelsPath = specPath.child('template', 'metadata', 'labels');
  const errors = job.metadata.uid ? [] : [requiredField(FieldPath.of('metadata', 'uid'))];
  for (const key of [legacyControllerUidLabel, legacyJobNameLabel, controllerUidLabel, jobNameLabel]) {
    const problem = `must be '${expected[key]}'`;
    const found: FieldError[] = [];
    if (labels[key] === undefined) found.push(requiredField(labelsPath.key(key), problem));
    else if (labels[key] !== expected[key]) found.push(invalidField(labelsPath.key(key), labels, problem));
    errors.push(...(prefixedLabels.has(key) ? scoped(found, { newRule: 'prefixed labels of jobs' }) : found));
  }
  const isUsable = validateLabelSelector(selector, specPath).length === 0;
  if (!isUsable || LabelSelector.fromObject(selector).matches(expected)) return errors;
  return [
    ...errors,
    invalidField(specPath.child('selector'), printSelector(selector), '`selector` not auto-generated'),
  ];
}

/** Pods of an indexed job are called after it and their index; the longest such name must still be a hostname. */
function validateHostname({ metadata }: Job, { completionMode, completions = 0 }: JobSpec): FieldError[] {
  if (completionMode !== 'Indexed' || completions <= 0) return [];
  const { name = '' } = metadata;
  const longest = `${name}-${completions - 1}`;
  if (isDns1123Label(longest).length === 0) return [];
  const problem = `will not able to create pod with invalid DNS label: ${longest}`;
  return [invalidField(FieldPath.of('metadata', 'name'), name, problem)];
}

export function validateSelectingJobSpec(path: FieldPath, spec: JobSpec): FieldError[] {
  const selectorPath = path.child('selector');
  const selectorErrors = spec.selector
    ? validateLabelSelector(spec.selector, selectorPath)
    : [requiredField(selectorPath)];
  const isUsable = !spec.selector || selectorErrors.length === 0;
  return [
    ...validateJobSpec(path, spec),
    ...selectorErrors,
    ...(isUsable
      ? validateSelected(path.child('template'), spec.template ?? {}, LabelSelector.fromObject(spec.selector))
      : []),
  ];
}

/** A job's spec, be it a job's own or that of a template, which has no selector yet. */
export function validateJobSpec(path: FieldPath, spec: JobSpec): FieldError[] {
  return [
    ...validateNumbers(path, spec),
    ...validateManagedBy(path.child('managedBy'), spec.managedBy),
    ...validateCompletionMode(path, spec),
    ...(spec.podFailurePolicy ? validatePodFailurePolicy(path.child('podFailurePolicy'), spec) : []),
    ...(spec.successPolicy ? validateSuccessPolicy(path.child('successPolicy'), spec) : []),
    ...validateReplacementPolicy(path.child('podReplacementPolicy'), spec),
    ...validatePodTemplateSpec(path.child('template'), spec.template ?? {}),
    ...validateRestartPolicy(path.child('template', 'spec', 'restartPolicy'), spec),
  ];
}

const countFields = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

function validateNumbers(path: FieldPath, spec: JobSpec): FieldError[] {
  const errors = countFields.flatMap((field) => checkNonNegative(path.child(field), spec[field]));
  if (spec.maxFailedIndexes === undefined || spec.backoffLimitPerIndex !== undefined) return errors;
  return [...errors, requiredField(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified')];
}

const longestManager = 63;

function validateManagedBy(path: FieldPath, manager: string | undefined): FieldError[] {
  if (manager === undefined) return [];
  const errors = checkRequiredValue(path, manager, isDomainPrefixedPath);
  return manager.length > longestManager ? [...errors, tooLongField(path, longestManager)] : errors;
}

function validateCompletionMode(path: FieldPath, spec: JobSpec): FieldError[] {
  const mode = spec.completionMode;
  const errors =
    mode === undefined ? [] : checkSupported(path.child('completionMode'), mode, ['NonIndexed', 'Indexed']);
  if (mode === 'Indexed') return [...errors, ...validateIndexed(path, spec)];
  if (mode !== undefined && mode !== 'NonIndexed') return errors;
  for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
    if (spec[field] !== undefined)
      errors.push(invalidField(path.child(field), spec[field], 'requires indexed completion mode'));
  }
  return errors;
}

/** Indexes are listed in the status, whose size is limited. */
const mostParallel = 100_000;
const mostFailedIndexes = 100_000;
const manyCompletions = 100_000;
const mostOfMany = 10_000;

function validateIndexed(path: FieldPath, spec: JobSpec): FieldError[] {
  const { completions, parallelism, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const failedPath = path.child('maxFailedIndexes');
  const errors: FieldError[] = [];
  if (completions === undefined)
    errors.push(requiredField(path.child('completions'), 'when completion mode is Indexed'));
  if (parallelism !== undefined && parallelism > mostParallel) {
    const problem = `must be less than or equal to ${mostParallel} when completion mode is Indexed`;
    errors.push(invalidField(path.child('parallelism'), parallelism, problem));
  }
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
    errors.push(invalidField(failedPath, maxFailedIndexes, 'must be less than or equal to completions'));
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > mostFailedIndexes) {
    errors.push(invalidField(failedPath, maxFailedIndexes, `must be less than or equal to ${mostFailedIndexes}`));
  }
  if (completions === undefined || completions <= manyCompletions || backoffLimitPerIndex === undefined) return errors;
  return [...errors, ...validateManyCompletions(path, spec)];
}

function validateManyCompletions(path: FieldPath, { parallelism, maxFailedIndexes }: JobSpec): FieldError[] {
  const problem = `must be less than or equal to ${mostOfMany} when completions are above ${manyCompletions} and used with backoff limit per index`;
  const failedPath = path.child('maxFailedIndexes');
  const errors: FieldError[] = [];
  if (maxFailedIndexes === undefined) {
    errors.push(requiredField(failedPath, `must be specified when completions is above ${manyCompletions}`));
  }
  if (parallelism !== undefined && parallelism > mostOfMany) {
    errors.push(invalidField(path.child('parallelism'), parallelism, problem));
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > mostOfMany) {
    errors.push(invalidField(failedPath, maxFailedIndexes, problem));
  }
  return errors;
}

/** A policy for failed pods must see each of them fail before another takes its place. */
function validateReplacementPolicy(
  path: FieldPath,
  { podReplacementPolicy: policy, podFailurePolicy }: JobSpec,
): FieldError[] {
  if (policy === undefined) return [];
  return checkSupported(path, policy, podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed']);
}

/** Pods that always restart never end. `Always` is also what was left out, since it is the default of pods. */
function validateRestartPolicy(path: FieldPath, { template, podFailurePolicy }: JobSpec): FieldError[] {
  const policy = template?.spec?.restartPolicy ?? '';
  if (policy === 'Always' || policy === '') return [requiredField(path, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupportedField(path, policy, ['OnFailure', 'Never'])];
  if (!podFailurePolicy || policy === 'Never') return [];
  return [invalidField(path, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}
