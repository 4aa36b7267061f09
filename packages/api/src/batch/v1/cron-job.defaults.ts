import { setPodTemplateSpecDefaults } from '../../core/v1/pod-spec.defaults.js';
import type { CronJob, CronJobSpec, JobSpec } from '../../generated/types/batch-v1.js';
import { setPodFailurePolicyDefaults } from './job.defaults.js';

/** The jobs get their own defaults when they are made. */
export function setCronJobDefaults(cronJob: CronJob): void {
  const spec = (cronJob.spec ??= {} as CronJobSpec);
  spec.concurrencyPolicy ||= 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  const job = ((spec.jobTemplate ??= {}).spec ??= {} as JobSpec);
  setPodTemplateSpecDefaults((job.template ??= {}));
  setPodFailurePolicyDefaults(job.podFailurePolicy);
}
