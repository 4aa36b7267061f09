import { type FieldError, FieldPath, invalidField, notSupportedField, requiredField } from '@coracle/apimachinery';
import { printSelector } from '../../apps/v1/workload.validation.js';
import type { CronJob, CronJobSpec, JobSpec, JobTemplateSpec } from '../../generated/types/batch-v1.js';
import { checkNonNegative, checkRequiredSupported } from '../../validation/field-checks.js';
import { isTimeZone, scheduleProblem } from './cron-schedule.js';
import { validateJobSpec } from './job.validation.js';

const specPath = FieldPath.of('spec');
/** Names of jobs end in eleven more characters, and must then still be labels. */
const longestName = 52;

export function validateCronJob({ metadata, spec = {} as CronJobSpec }: CronJob): FieldError[] {
  const { name = '' } = metadata;
  const errors = validateSpec(spec);
  if (name.length <= longestName) return errors;
  const namePath = FieldPath.of('metadata', 'name');
  return [...errors, invalidField(namePath, name, `must be no more than ${longestName} characters`)];
}

export function validateCronJobUpdate({ spec = {} as CronJobSpec }: CronJob, previous: CronJob): FieldError[] {
  return validateSpec(spec, previous.spec);
}

function validateSpec(spec: CronJobSpec, previous?: CronJobSpec): FieldError[] {
  return [
    ...validateSchedule(specPath.child('schedule'), spec, previous),
    ...checkNonNegative(specPath.child('startingDeadlineSeconds'), spec.startingDeadlineSeconds),
    ...(previous && previous.timeZone === spec.timeZone
      ? []
      : validateTimeZone(specPath.child('timeZone'), spec.timeZone)),
    ...checkRequiredSupported(specPath.child('concurrencyPolicy'), spec.concurrencyPolicy, [
      'Allow',
      'Forbid',
      'Replace',
    ]),
    ...validateJobTemplate(specPath.child('jobTemplate'), spec.jobTemplate ?? {}),
    ...checkNonNegative(specPath.child('successfulJobsHistoryLimit'), spec.successfulJobsHistoryLimit),
    ...checkNonNegative(specPath.child('failedJobsHistoryLimit'), spec.failedJobsHistoryLimit),
  ];
}

/** A time zone in the schedule was never meant to work; those that have one may keep it. */
function validateSchedule(path: FieldPath, { schedule, timeZone }: CronJobSpec, previous?: CronJobSpec): FieldError[] {
  if (!schedule) return [requiredField(path)];
  const problem = scheduleProblem(schedule);
  const errors = problem === undefined ? [] : [invalidField(path, schedule, problem)];
  if (!schedule.includes('TZ')) return errors;
  if (!previous?.schedule?.includes('TZ')) {
    return [
      ...errors,
      invalidField(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'),
    ];
  }
  if (timeZone === undefined) return errors;
  return [...errors, invalidField(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule')];
}

function validateTimeZone(path: FieldPath, zone: string | undefined): FieldError[] {
  if (zone === undefined) return [];
  if (zone === '') return [invalidField(path, zone, 'timeZone must be nil or non-empty string')];
  if (!zone.split('/').every(isZonePart)) return [invalidField(path, zone, `unknown time zone ${zone}`)];
  if (zone.toLowerCase() === 'local') {
    const problem = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return [invalidField(path, zone, problem)];
  }
  return isTimeZone(zone) ? [] : [invalidField(path, zone, `unknown time zone ${zone}`)];
}

/** What the names of the time zone database are made of. */
function isZonePart(part: string): boolean {
  return part !== '.' && part !== '..' && !part.startsWith('-') && /^[A-Za-z.\-_0-9+]{1,14}$/.test(part);
}

/** Selectors are made together with the jobs. */
function validateJobTemplate(path: FieldPath, { spec = {} as JobSpec }: JobTemplateSpec): FieldError[] {
  const errors = validateJobSpec(path.child('spec'), spec);
  if (spec.selector) {
    const selectorPath = path.child('spec', 'selector');
    errors.push(invalidField(selectorPath, printSelector(spec.selector), '`selector` will be auto-generated'));
  }
  if (!spec.manualSelector) return errors;
  return [...errors, notSupportedField(path.child('spec', 'manualSelector'), true, ['nil', 'false'])];
}
