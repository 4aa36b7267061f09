import type { Job, JobSpec } from '../../generated/types/batch-v1.js';

export const controllerUidLabel = 'batch.kubernetes.io/controller-uid';
export const jobNameLabel = 'batch.kubernetes.io/job-name';
/** The names that these labels had before they got a domain. Pods have both. */
export const legacyControllerUidLabel = 'controller-uid';
export const legacyJobNameLabel = 'job-name';

/** The labels of a job's pods. Needs the job's name and uid. */
export function jobPodLabels({ metadata }: Job): Record<string, string> {
  const { name = '', uid = '' } = metadata;
  return {
    [legacyJobNameLabel]: name,
    [jobNameLabel]: name,
    [legacyControllerUidLabel]: uid,
    [controllerUidLabel]: uid,
  };
}

/**
 * Makes a job select its own pods and no others, by its uid. Labels that the user has set are kept, valid or not:
 * validation reports them then. A job without labels of its own (none, or those that defaulting shared with the
 * template) gets those of its pods.
 */
export function generateJobSelector(job: Job): void {
  const spec = (job.spec ??= {} as JobSpec);
  const metadata = ((spec.template ??= {}).metadata ??= {});
  const isShared = job.metadata.labels === metadata.labels;
  metadata.labels = { ...jobPodLabels(job), ...metadata.labels };
  const selector = (spec.selector ??= {});
  selector.matchLabels = { [controllerUidLabel]: job.metadata.uid ?? '', ...selector.matchLabels };
  if (isShared || Object.keys(job.metadata.labels ?? {}).length === 0) job.metadata.labels = { ...metadata.labels };
}
