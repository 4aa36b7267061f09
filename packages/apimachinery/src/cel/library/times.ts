import { declare, type FunctionDeclaration, member, type OverloadDeclaration, signature } from '../overload.js';
import { durationType, intType, stringType, timestampType } from '../values/cel-type.js';
import type { CelDuration, CelTimestamp } from '../values/cel-value.js';
import { type CivilTime, civilTime } from '../values/timestamps.js';

/** A part of a date: in UTC, or in the zone that is given. */
function part(id: string, read: (time: CivilTime) => number): OverloadDeclaration[] {
  const at = (time: CelTimestamp, zone?: string) => BigInt(read(civilTime(time, zone)));
  return [
    member(signature(id, [timestampType], intType), (time: CelTimestamp) => at(time)),
    member(signature(`${id}_with_tz`, [timestampType, stringType], intType), at),
  ];
}

function span(id: string, read: (nanos: bigint) => bigint): OverloadDeclaration {
  return member(signature(id, [durationType], intType), ({ nanos }: CelDuration) => read(nanos));
}

export const times: readonly FunctionDeclaration[] = [
  declare('getFullYear', ...part('timestamp_to_year', ({ year }) => year)),
  declare('getMonth', ...part('timestamp_to_month', ({ month }) => month)),
  declare('getDayOfYear', ...part('timestamp_to_day_of_year', ({ dayOfYear }) => dayOfYear)),
  declare('getDayOfMonth', ...part('timestamp_to_day_of_month', ({ day }) => day - 1)),
  declare('getDate', ...part('timestamp_to_day_of_month_1_based', ({ day }) => day)),
  declare('getDayOfWeek', ...part('timestamp_to_day_of_week', ({ weekday }) => weekday)),
  declare(
    'getHours',
    ...part('timestamp_to_hours', ({ hours }) => hours),
    span('duration_to_hours', (nanos) => nanos / 3_600_000_000_000n),
  ),
  declare(
    'getMinutes',
    ...part('timestamp_to_minutes', ({ minutes }) => minutes),
    span('duration_to_minutes', (nanos) => nanos / 60_000_000_000n),
  ),
  declare(
    'getSeconds',
    ...part('timestamp_to_seconds', ({ seconds }) => seconds),
    span('duration_to_seconds', (nanos) => nanos / 1_000_000_000n),
  ),
  declare(
    'getMilliseconds',
    ...part('timestamp_to_milliseconds', ({ milliseconds }) => milliseconds),
    span('duration_to_milliseconds', (nanos) => nanos / 1_000_000n),
  ),
];
