import { isDns1123Label } from '@coracle/apimachinery';
import type { CronJob, Job } from '../../generated/types/batch-v1.js';

const manyCompletions = 100_000;
const manyParallel = 10_000;

export function jobWarnings({ metadata, spec }: Job, previous?: Job): string[] {
  const { name = '' } = metadata;
  const warnings: string[] = [];
  if (!previous && isDns1123Label(name).length > 0) {
    warnings.push(
      `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${isDns1123Label(name).join(' ')}]`,
    );
  }
  const { completionMode, completions = 0, parallelism = 0 } = spec ?? {};
  if (completionMode === 'Indexed' && completions > manyCompletions && parallelism > manyParallel) {
    warnings.push(
      'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
    );
  }
  return warnings;
}

export function cronJobWarnings({ metadata, spec }: CronJob, previous?: CronJob): string[] {
  const { name = '' } = metadata;
  const warnings: string[] = [];
  if (!previous && isDns1123Label(name).length > 0) {
    warnings.push(
      `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${isDns1123Label(name).join(' ')}]`,
    );
  }
  const schedule = spec?.schedule ?? '';
  if (!schedule.includes('TZ') || spec?.timeZone !== undefined) return warnings;
  return [
    ...warnings,
    'CRON_TZ or TZ used in schedule ' +
      JSON.stringify(schedule) +
      ' is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
  ];
}
