import { setPodTemplateSpecDefaults } from '../../core/v1/pod-spec.defaults.js';
import type { Job, JobSpec, PodFailurePolicy } from '../../generated/types/batch-v1.js';

const unlimited = 2147483647;

export function setJobDefaults(job: Job): void {
  const spec = (job.spec ??= {} as JobSpec);
  const template = (spec.template ??= {});
  setPodTemplateSpecDefaults(template);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  // With a backoff limit per index, there is none for the job as a whole.
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : unlimited;
  const labels = template.metadata?.labels;
  // Shared, not copied: labels that the template is given later become the job's too, as upstream v1.36 has it.
  if (labels && Object.keys(job.metadata.labels ?? {}).length === 0) job.metadata.labels = labels;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  setPodFailurePolicyDefaults(spec.podFailurePolicy);
}

/** A pattern that names no status is for conditions that hold. */
export function setPodFailurePolicyDefaults(policy: PodFailurePolicy | undefined): void {
  for (const rule of policy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= 'True';
  }
}
