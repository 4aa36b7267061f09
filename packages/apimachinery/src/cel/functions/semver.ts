import { type Environment, EvaluationError } from '@marcbachmann/cel-js';

const type = 'kubernetes.Semver';

class Semver {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: readonly string[];

  constructor(match: RegExpExecArray) {
    this.major = BigInt(match[1] ?? 0);
    this.minor = BigInt(match[2] ?? 0);
    this.patch = BigInt(match[3] ?? 0);
    this.prerelease = match[4]?.split('.') ?? [];
  }
}

const number = '(0|[1-9]\\d{0,17})';
const identifier = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const strict = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

/** `semver("1.2.3").isLessThan(semver("1.10.0"))`. */
export function registerSemver(environment: Environment): void {
  const read = (text: string, normalize = false) => {
    const version = parseSemver(text, normalize);
    if (!version)
      throw new EvaluationError(`semver parse error during conversion from string: ${JSON.stringify(text)}`);
    return version;
  };
  environment
    .registerType(type, Semver)
    .registerFunction(`semver(string): ${type}`, (text: string) => read(text))
    .registerFunction(`semver(string, bool): ${type}`, read)
    .registerFunction('isSemver(string): bool', (text: string) => parseSemver(text, false) !== undefined)
    .registerFunction(
      'isSemver(string, bool): bool',
      (text: string, normalize: boolean) => parseSemver(text, normalize) !== undefined,
    )
    .registerFunction(`${type}.major(): int`, (version: Semver) => version.major)
    .registerFunction(`${type}.minor(): int`, (version: Semver) => version.minor)
    .registerFunction(`${type}.patch(): int`, (version: Semver) => version.patch)
    .registerFunction(`${type}.compareTo(${type}): int`, (a: Semver, b: Semver) => BigInt(compare(a, b)))
    .registerFunction(`${type}.isGreaterThan(${type}): bool`, (a: Semver, b: Semver) => compare(a, b) > 0)
    .registerFunction(`${type}.isLessThan(${type}): bool`, (a: Semver, b: Semver) => compare(a, b) < 0)
    .registerOperator(`${type} == ${type}`, (a: Semver, b: Semver) => compare(a, b) === 0);
}

function parseSemver(text: string, normalize: boolean): Semver | undefined {
  const match = strict.exec(normalize ? normalized(text) : text);
  return match ? new Semver(match) : undefined;
}

/** Without a leading `v` and leading zeros, and with the parts that are missing. */
function normalized(text: string): string {
  const [, core = '', rest = ''] = /^v?([0-9.]*)(.*)$/.exec(text) ?? [];
  const parts = core.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  while (parts.length < 3) parts.push('0');
  return parts.join('.') + rest;
}

function compare(a: Semver, b: Semver): number {
  for (const part of ['major', 'minor', 'patch'] as const) if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1;
  return comparePrerelease(a.prerelease, b.prerelease);
}

/** A version without a prerelease comes after all that have one. */
function comparePrerelease(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length);
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const order = compareIdentifier(a[i], b[i]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareIdentifier(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const numbers = [a, b].map((one) => /^\d+$/.test(one));
  if (numbers[0] && numbers[1]) return BigInt(a) < BigInt(b) ? -1 : 1;
  if (numbers[0] !== numbers[1]) return numbers[0] ? -1 : 1;
  return a < b ? -1 : 1;
}
