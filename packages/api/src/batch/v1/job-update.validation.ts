import { type FieldError, FieldPath, invalidField } from '@coracle/apimachinery';
import { deepCopy, deepEqual } from '@coracle/base';
import { checkSameSelector } from '../../apps/v1/workload.validation.js';
import { podSpecInternalForm } from '../../core/v1/pod.internal-form.js';
import type { Job, JobSpec, JobStatus } from '../../generated/types/batch-v1.js';
import type { Affinity, PodSpec, PodTemplateSpec } from '../../generated/types/core-v1.js';
import { checkImmutable } from '../../validation/field-checks.js';
import { toInternalForm } from '../../validation/internal-form.js';
import { takeField } from '../../validation/take-field.js';
import { jobTypes } from './job.internal-form.js';
import { validateJob, validateSelectingJobSpec } from './job.validation.js';

const specPath = FieldPath.of('spec');

/**
 * What a job is made of may not change; how much of it runs at a time may. Field errors on the spec are given twice, as
 * in upstream.
 */
export function validateJobUpdate(job: Job, previous: Job): FieldError[] {
  const spec = job.spec ?? ({} as JobSpec);
  const old = previous.spec ?? ({} as JobSpec);
  return [
    ...validateJob(job),
    ...validateSelectingJobSpec(specPath, spec),
    ...validateCompletions(specPath.child('completions'), spec, old),
    ...checkSameSelector(specPath.child('selector'), spec.selector, old.selector),
    ...validateTemplate(specPath.child('template'), spec, previous),
    ...checkSame('completionMode', spec, old),
    ...checkSame('podFailurePolicy', spec, old, '*PodFailurePolicy'),
    ...checkSame('backoffLimitPerIndex', spec, old),
    ...checkSame('managedBy', spec, old),
    ...checkSame('successPolicy', spec, old, '*SuccessPolicy'),
  ];
}

function checkSame(field: keyof JobSpec, spec: JobSpec, previous: JobSpec, type?: string): FieldError[] {
  const value = spec[field] ?? null;
  const shown = type ? toInternalForm(spec[field], type, jobTypes) : value;
  return checkImmutable(specPath.child(field), value, previous[field] ?? null, shown);
}

/** An indexed job may be made larger or smaller, as long as all of it runs at once. */
function validateCompletions(path: FieldPath, spec: JobSpec, previous: JobSpec): FieldError[] {
  const { completions, parallelism } = spec;
  if (spec.completionMode !== 'Indexed') return checkImmutable(path, completions ?? null, previous.completions ?? null);
  if (completions === previous.completions || completions === undefined || completions === parallelism) return [];
  return [invalidField(path, completions, 'can only be modified in tandem with spec.parallelism')];
}

function validateTemplate(path: FieldPath, { template = {} }: JobSpec, previous: Job): FieldError[] {
  const old = withChangesOf(template, previous);
  const podSpec = template.spec ?? { containers: [] };
  return [
    ...checkImmutable(path.child('metadata'), template.metadata ?? {}, old.metadata ?? {}),
    ...(deepEqual(podSpec, old.spec ?? { containers: [] })
      ? []
      : [invalidField(path.child('spec'), podSpecInternalForm(podSpec), 'field is immutable')]),
  ];
}

/** The previous template with what may change of it: while no pod is made from it, where and with what pods run. */
function withChangesOf(template: PodTemplateSpec, { spec, status = {} }: Job): PodTemplateSpec {
  const old = spec?.template ?? {};
  if (!spec?.suspend) return old;
  const isAtRest = hasCondition(status, 'Suspended') && !status.active;
  const copy = deepCopy(old);
  if (isAtRest || status.startTime === undefined) takeDirectives(copy, template);
  if (isAtRest) takeResources((copy.spec ??= { containers: [] }), template.spec ?? { containers: [] });
  return copy;
}

function hasCondition({ conditions = [] }: JobStatus, conditionType: string): boolean {
  return conditions.some(({ type, status }) => type === conditionType && status === 'True');
}

function takeDirectives(template: PodTemplateSpec, source: PodTemplateSpec): void {
  const spec = (template.spec ??= { containers: [] });
  const sourceSpec = source.spec ?? { containers: [] };
  for (const field of ['nodeSelector', 'tolerations', 'schedulingGates'] as const) takeField(spec, sourceSpec, field);
  takeNodeAffinity(spec, sourceSpec);
  const metadata = (template.metadata ??= {});
  for (const field of ['labels', 'annotations'] as const) takeField(metadata, source.metadata ?? {}, field);
}

function takeNodeAffinity(spec: PodSpec, source: PodSpec): void {
  const affinity: Affinity = { ...spec.affinity };
  takeField(affinity, source.affinity ?? {}, 'nodeAffinity');
  if (Object.keys(affinity).length > 0 || source.affinity) spec.affinity = affinity;
  else delete spec.affinity;
}

function takeResources(spec: PodSpec, source: PodSpec): void {
  for (const list of ['containers', 'initContainers'] as const) {
    for (const container of spec[list] ?? []) {
      const other = source[list]?.find(({ name }) => name === container.name);
      if (other) takeField(container, other, 'resources');
    }
  }
}
