import { isDns1123Label, type ObjectMeta } from '@coracle/apimachinery';
import type { CronJob, Job } from '../../generated/types/batch-v1.js';

const manyCompletions = 100_000;
const manyParallel = 10_000;

export function jobWarnings({ metadata, spec }: Job, previous?: Job): string[] {
  const { completionMode, completions = 0, parallelism = 0 } = spec ?? {};
  const warnings = previous ? [] : nameWarnings(metadata);
  if (completionMode !== 'Indexed' || completions <= manyCompletions || parallelism <= manyParallel) return warnings;
  return [
    ...warnings,
    'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
  ];
}

export function cronJobWarnings({ metadata, spec }: CronJob, previous?: CronJob): string[] {
  const { schedule = '', timeZone } = spec ?? {};
  const warnings = previous ? [] : nameWarnings(metadata);
  if (!schedule.includes('TZ') || timeZone !== undefined) return warnings;
  const docs = 'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/';
  return [
    ...warnings,
    `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see ${docs} for more details`,
  ];
}

/** Pods are called after their job. */
function nameWarnings({ name = '' }: ObjectMeta): string[] {
  const problems = isDns1123Label(name);
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}
