import { FieldPath } from '@coracle/apimachinery';
import { podTemplateWarnings } from '../../core/v1/pod.warnings.js';
import type { CronJob, Job } from '../../generated/types/batch-v1.js';
import type { KindRules, KindRulesTable } from '../../kind-rules.js';
import { setCronJobDefaults } from './cron-job.defaults.js';
import { validateCronJob, validateCronJobUpdate } from './cron-job.validation.js';
import { setJobDefaults } from './job.defaults.js';
import { validateJob } from './job.validation.js';
import { cronJobWarnings, jobWarnings } from './job.warnings.js';
import { validateJobStatusUpdate } from './job-status.validation.js';
import { validateJobUpdate } from './job-update.validation.js';

const jobTemplatePath = FieldPath.of('spec', 'template');
const cronJobTemplatePath = FieldPath.of('spec', 'jobTemplate', 'spec', 'template');

const job: KindRules<Job> = {
  setDefaults: setJobDefaults,
  validate: validateJob,
  validateUpdate: validateJobUpdate,
  validateStatusUpdate: validateJobStatusUpdate,
  warnings: (object, previous) => [
    ...jobWarnings(object, previous),
    ...podTemplateWarnings(jobTemplatePath, object.spec?.template, previous?.spec?.template),
  ],
};

const cronJob: KindRules<CronJob> = {
  setDefaults: setCronJobDefaults,
  validate: validateCronJob,
  validateUpdate: validateCronJobUpdate,
  warnings: (object, previous) => [
    ...cronJobWarnings(object, previous),
    ...podTemplateWarnings(
      cronJobTemplatePath,
      object.spec?.jobTemplate?.spec?.template,
      previous?.spec?.jobTemplate?.spec?.template,
    ),
  ],
};

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = { Job: job, CronJob: cronJob };
