/** The concurrency share in a PriorityLevelConfiguration, with its defaults. */
export interface LevelShares {
  readonly name: string;
  readonly isExempt: boolean;
  readonly nominalConcurrencyShares: number;
  readonly lendablePercent: number;
  /** Without one a level may borrow all that the others lend. */
  readonly borrowingLimitPercent?: number | undefined;
}

/** Seats of a level: what it has by its shares, and the bounds between which borrowing moves it. */
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

/** How many seats a level has wanted since borrowing was last looked at. */
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
  /** By what the demands were multiplied to fit: `apiserver_flowcontrol_seat_fair_frac`. */
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
  const seatsAt = (fraction: number) => (level: BorrowingInput) =>
    Math.min(level.upper, Math.max(least(level), fraction * Math.max(least(level), level.smooth)));
  const total = (fraction: number) => limited.reduce((sum, level) => sum + seatsAt(fraction)(level), 0);
  const fairFraction = findFraction(total, remaining);
  const current = new Map(exempt.map((level) => [level.name, least(level)]));
  for (const level of limited) current.set(level.name, Math.max(1, Math.round(seatsAt(fairFraction)(level))));
  return { current, fairFraction };
}

const largestFraction = 1_000_000;

/** Where the total, which never falls, reaches what there is. */
function findFraction(total: (fraction: number) => number, target: number): number {
  if (total(0) >= target) return 0;
  if (total(largestFraction) <= target) return largestFraction;
  let [low, high] = [0, largestFraction];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (total(middle) < target) low = middle;
    else high = middle;
  }
  return high;
}

/** How much of the last smoothed demand stays after one period. */
const smoothing = 0.977;

/** Rises at once with the demand and falls slowly behind it. */
export function smoothDemand(before: number, { average, deviation }: { average: number; deviation: number }): number {
  const envelope = average + deviation;
  return Math.max(envelope, smoothing * before + (1 - smoothing) * envelope);
}
