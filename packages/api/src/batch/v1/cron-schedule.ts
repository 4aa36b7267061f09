/**
 * When a cron job runs: five fields (minute, hour, day of month, month, day of week), a descriptor such as `@hourly`, or
 * `@every 1h30m`. Problems are told in the words that clients know from the release.
 */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule === '') return 'empty spec string';
  const zoned = /^(?:CRON_)?TZ=(\S*)\s*(.*)$/s.exec(schedule);
  if (zoned) {
    const [, zone = '', rest = ''] = zoned;
    return isTimeZone(zone) ? scheduleProblem(rest) : `provided bad location ${zone}: unknown time zone ${zone}`;
  }
  if (schedule.startsWith('@')) return descriptorProblem(schedule);
  const fields = schedule.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== bounds.length) {
    return `expected exactly ${bounds.length} fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  return firstProblem(fields.map((field, index) => fieldProblem(field, bounds[index] as Bounds)));
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

const descriptors = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

function descriptorProblem(schedule: string): string | undefined {
  if (descriptors.includes(schedule)) return undefined;
  if (!schedule.startsWith('@every ')) return `unrecognized descriptor: ${schedule}`;
  const duration = schedule.slice('@every '.length);
  if (/^[+-]?(0|(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(duration)) return undefined;
  return `failed to parse duration ${schedule}: time: invalid duration ${JSON.stringify(duration)}`;
}

function firstProblem(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

function fieldProblem(field: string, bound: Bounds): string | undefined {
  return firstProblem(
    field
      .split(',')
      .filter((range) => range !== '')
      .map((range) => rangeProblem(range, bound)),
  );
}

/** `5`, `1-5`, `*`, each with a step if wanted: `0-30/10`. */
function rangeProblem(range: string, bound: Bounds): string | undefined {
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
  const isOpen = isStar || (stepText !== undefined && highText === undefined);
  return numbersProblem(range, bound, { low, high: isOpen ? bound.max : stated, step });
}

function numbersProblem(
  range: string,
  { min, max }: Bounds,
  { low, high, step }: { readonly low: number; readonly high: number; readonly step: number },
): string | undefined {
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
