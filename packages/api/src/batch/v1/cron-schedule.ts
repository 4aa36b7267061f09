import { parseDuration } from '@coracle/apimachinery';

/**
 * When a cron job runs: five fields (minute, hour, day of month, month, day of week), a descriptor such as `@hourly`, or
 * `@every 1h30m`. Problems have the messages of upstream.
 */
export type CronSchedule = (FieldSchedule | { readonly kind: 'every'; readonly periodMs: number }) & {
  /** Named in the schedule itself, which is not meant to be used any more. */
  readonly zone?: string;
};

export interface FieldSchedule {
  readonly kind: 'fields';
  readonly minutes: CronField;
  readonly hours: CronField;
  readonly days: CronField;
  readonly months: CronField;
  readonly weekdays: CronField;
}

export interface CronField {
  readonly values: ReadonlySet<number>;
  /** It was left open: of two fields that name days, both must match if one is open, else either. */
  readonly isOpen: boolean;
}

export function scheduleProblem(schedule: string): string | undefined {
  const parsed = parseSchedule(schedule);
  return typeof parsed === 'string' ? parsed : undefined;
}

/** Parses a schedule; returns the error if it is invalid. */
export function parseSchedule(schedule: string): CronSchedule | string {
  if (schedule === '') return 'empty spec string';
  const zoned = /^(?:CRON_)?TZ=(\S*)\s*(.*)$/s.exec(schedule);
  if (zoned) {
    const [, zone = '', rest = ''] = zoned;
    if (!isTimeZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`;
    const parsed = parseSchedule(rest);
    return typeof parsed === 'string' ? parsed : { ...parsed, zone };
  }
  return schedule.startsWith('@') ? parseDescriptor(schedule) : parseFields(schedule);
}

function parseFields(schedule: string): CronSchedule | string {
  const texts = schedule.split(/\s+/).filter((field) => field !== '');
  if (texts.length !== bounds.length) {
    return `expected exactly ${bounds.length} fields, found ${texts.length}: [${texts.join(' ')}]`;
  }
  const fields: CronField[] = [];
  for (const [index, text] of texts.entries()) {
    const field = parseField(text, bounds[index] as Bounds);
    if (typeof field === 'string') return field;
    fields.push(field);
  }
  const [minutes, hours, days, months, weekdays] = fields as [CronField, CronField, CronField, CronField, CronField];
  return { kind: 'fields', minutes, hours, days, months, weekdays };
}

/** Whether there is such a place in the time zone database. */
export function isTimeZone(name: string): boolean {
  if (name === '') return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const bounds: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

function parseDescriptor(schedule: string): CronSchedule | string {
  const fields = descriptors[schedule];
  if (fields !== undefined) return parseFields(fields);
  if (!schedule.startsWith('@every ')) return `unrecognized descriptor: ${schedule}`;
  const duration = schedule.slice('@every '.length);
  const periodMs = parseDuration(duration);
  if (periodMs === undefined) {
    return `failed to parse duration ${schedule}: time: invalid duration ${JSON.stringify(duration)}`;
  }
  // A schedule has a resolution of one second.
  return { kind: 'every', periodMs: Math.max(1000, Math.floor(periodMs / 1000) * 1000) };
}

function parseField(text: string, bound: Bounds): CronField | string {
  const values = new Set<number>();
  let isOpen = false;
  for (const range of text.split(',').filter((part) => part !== '')) {
    const parsed = parseRange(range, bound);
    if (typeof parsed === 'string') return parsed;
    isOpen ||= parsed.isOpen;
    for (let value = parsed.low; value <= parsed.high; value += parsed.step) values.add(value);
  }
  return { values, isOpen };
}

interface CronRange {
  readonly low: number;
  readonly high: number;
  readonly step: number;
  readonly isOpen: boolean;
}

/** `5`, `1-5`, `*`, each with a step if wanted: `0-30/10`. */
function parseRange(range: string, bound: Bounds): CronRange | string {
  const [span = '', stepText, ...moreSteps] = range.split('/');
  const [lowText = '', highText, ...moreBounds] = span.split('-');
  const isStar = lowText === '*' || lowText === '?';
  const low = isStar ? bound.min : parseNumber(lowText, bound.names, bound.min);
  if (typeof low === 'string') return low;
  if (!isStar && moreBounds.length > 0) return `too many hyphens: ${range}`;
  const stated = isStar || highText === undefined ? low : parseNumber(highText, bound.names, bound.min);
  if (typeof stated === 'string') return stated;
  if (moreSteps.length > 0) return `too many slashes: ${range}`;
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  if (typeof step === 'string') return step;
  const isUnbounded = isStar || (stepText !== undefined && highText === undefined);
  const parsed = { low, high: isUnbounded ? bound.max : stated, step, isOpen: isStar && step === 1 };
  return rangeProblem(range, bound, parsed) ?? parsed;
}

function rangeProblem(range: string, { min, max }: Bounds, { low, high, step }: CronRange): string | undefined {
  if (low < min) return `beginning of range (${low}) below minimum (${min}): ${range}`;
  if (high > max) return `end of range (${high}) above maximum (${max}): ${range}`;
  if (low > high) return `beginning of range (${low}) beyond end of range (${high}): ${range}`;
  return step === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

/** A number, the place of a name in `names` counted from `first`, or what is wrong. */
function parseNumber(text: string, names: readonly string[] = [], first = 0): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return first + named;
  if (!/^[+-]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  const number = Number(text);
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}
