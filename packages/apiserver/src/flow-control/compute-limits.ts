/** The concurrency share in a PriorityLevelConfiguration, with its defaults. */
export interface LevelShares {
  readonly name: string;
  readonly isExempt: boolean;
  readonly nominalConcurrencyShares: number;
  readonly lendablePercent: number;
  /** If absent, the level may borrow without limit. */
  readonly borrowingLimitPercent?: number | undefined;
}

/** Seats of a level: its nominal seats, and the bounds within which borrowing moves them. */
export interface LevelLimits {
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
}

/** Divides the seats of the server by the shares of its levels. */
export function computeLimits(levels: readonly LevelShares[], serverSeats: number): ReadonlyMap<string, LevelLimits> {
  const allShares = levels.reduce((sum, { nominalConcurrencyShares }) => sum + nominalConcurrencyShares, 0);
  return new Map(
    levels.map((level) => {
      const nominal = allShares === 0 ? 0 : Math.ceil((serverSeats * level.nominalConcurrencyShares) / allShares);
      const lendable = Math.round((nominal * level.lendablePercent) / 100);
      const { borrowingLimitPercent: percent } = level;
      const borrowing = percent === undefined ? serverSeats : Math.round((nominal * percent) / 100);
      return [level.name, { nominal, lower: nominal - lendable, upper: nominal + borrowing }];
    }),
  );
}

/** Demand of a level for seats since the last computation. */
export interface SeatDemand {
  readonly high: number;
  readonly smooth: number;
}

export interface BorrowingInput extends LevelLimits, SeatDemand {
  readonly name: string;
  readonly isExempt: boolean;
}

export interface BorrowingOutcome {
  readonly current: ReadonlyMap<string, number>;
  /** The factor by which the demands were scaled to fit: `apiserver_flowcontrol_seat_fair_frac`. */
  readonly fairFraction: number;
}

/**
 * Lends seats to priority levels with demand. No level gets less than its own seats that it does not lend or uses
 * itself, and none more than its borrowing limit; in between, each gets the same fraction of its smoothed demand.
 */
export function computeBorrowing(levels: readonly BorrowingInput[], serverSeats: number): BorrowingOutcome {
  const least = (level: BorrowingInput) => Math.max(level.lower, Math.min(level.nominal, level.high));
  const exempt = levels.filter(({ isExempt }) => isExempt);
  const limited = levels.filter(({ isExempt }) => !isExempt);
  const remaining = exempt.reduce((left, level) => left - least(level), serverSeats);
  const ranges = limited.map((level) => rangeOf(level, least(level)));
  const fairFraction = findFraction(ranges, remaining);
  const current = new Map(exempt.map((level) => [level.name, least(level)]));
  for (const [index, { name }] of limited.entries())
    current.set(name, Math.max(1, Math.round(seatsAt(ranges[index] as SeatRange, fairFraction))));
  return { current, fairFraction };
}

/** A level gets this fraction of its demand, at least `least` and at most `most`. */
interface SeatRange {
  readonly least: number;
  readonly most: number;
  readonly demand: number;
}

function rangeOf({ upper, smooth }: BorrowingInput, least: number): SeatRange {
  return { least: Math.min(upper, least), most: upper, demand: Math.max(least, smooth) };
}

function seatsAt({ least, most, demand }: SeatRange, fraction: number): number {
  return Math.min(most, Math.max(least, fraction * demand));
}

const largestFraction = 1_000_000;

/**
 * The fraction at which all seats are used. The sum is monotonic and piecewise linear in the fraction: its slope
 * changes where a level exceeds its minimum, and where it reaches its maximum.
 */
function findFraction(ranges: readonly SeatRange[], target: number): number {
  let sum = ranges.reduce((seats, { least }) => seats + least, 0);
  if (sum >= target) return 0;
  const bends = ranges
    .filter(({ least, most, demand }) => demand > 0 && least < most)
    .flatMap(({ least, most, demand }) => [
      { at: least / demand, slope: demand },
      { at: most / demand, slope: -demand },
    ])
    .sort((a, b) => a.at - b.at);
  let [fraction, slope] = [0, 0];
  for (const bend of bends) {
    const next = sum + slope * (bend.at - fraction);
    if (next > target) break;
    [sum, fraction] = [next, bend.at];
    slope += bend.slope;
  }
  return slope > 0 ? Math.min(largestFraction, fraction + (target - sum) / slope) : largestFraction;
}

/** The fraction of the smoothed demand that remains after one period. */
const smoothing = 0.977;

/** Follows increases of the demand at once, and decreases slowly. */
export function smoothDemand(before: number, { average, deviation }: { average: number; deviation: number }): number {
  const envelope = average + deviation;
  return Math.max(envelope, smoothing * before + (1 - smoothing) * envelope);
}
