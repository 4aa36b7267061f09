import { formatAge, formatHumanDuration, isConditionTrue, type TablePrinter } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { formatBoolean, none } from '../../columns/cell-text.js';
import { age, boolean, integer, name, tablePrinter, text, timed } from '../../columns/table-printer.js';
import { selectorColumn, templateColumns } from '../../columns/workload-columns.js';
import type { CronJob, Job } from '../../generated/types/batch-v1.js';

const jobPrinter = tablePrinter<Job>([
  name,
  text('Status', 'How far the job has come.', statusWord),
  text('Completions', 'How many pods have succeeded, of those that must.', completions),
  timed('Duration', 'The time that the job took, or takes so far.', duration),
  age,
  ...templateColumns<Job>(({ spec }) => spec?.template),
  selectorColumn(({ spec }) => spec?.selector),
]);

/** The first match is the status; a finished job keeps its status while it is being deleted. */
const endings = ['Complete', 'Failed'];
const stages = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

function statusWord({ metadata, status }: Job): string {
  const holds = (type: string) => isConditionTrue(status?.conditions, type);
  const ending = endings.find(holds);
  if (ending) return ending;
  return metadata.deletionTimestamp ? 'Terminating' : (stages.find(holds) ?? 'Running');
}

function completions({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function duration({ status }: Job, now: Millis): string {
  if (!status?.startTime) return '';
  return formatHumanDuration(
    (status.completionTime ? Date.parse(status.completionTime) : now) - Date.parse(status.startTime),
  );
}

const cronJobPrinter = tablePrinter<CronJob>([
  name,
  text('Schedule', 'When it runs, as cron writes it.', ({ spec }) => spec?.schedule ?? ''),
  text('Timezone', 'The time zone of the schedule.', ({ spec }) => spec?.timeZone ?? none),
  boolean('Suspend', 'Whether no more jobs are made.', ({ spec }) => formatBoolean(spec?.suspend)),
  integer('Active', 'How many jobs run.', ({ status }) => status?.active?.length ?? 0),
  timed('Last Schedule', 'The time since a job was made last.', ({ status }, now) =>
    status?.lastScheduleTime ? formatAge(status.lastScheduleTime, now) : none,
  ),
  age,
  ...templateColumns<CronJob>(({ spec }) => spec?.jobTemplate.spec?.template),
  selectorColumn(({ spec }) => spec?.jobTemplate.spec?.selector),
]);

export const printers: Readonly<Record<string, TablePrinter>> = { CronJob: cronJobPrinter, Job: jobPrinter };
