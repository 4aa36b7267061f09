import { declare, type FunctionDeclaration, global, member, signature } from '../overload.js';
import { boolType, type CelType, intType, opaqueType, stringType } from '../values/cel-type.js';
import { CelOpaque } from '../values/cel-value.js';
import { fail } from '../values/evaluation-failure.js';
import { quoteText } from '../values/format-value.js';

const semverType = opaqueType('kubernetes.Semver');

class CelSemver extends CelOpaque {
  readonly type: CelType = semverType;
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: readonly string[];

  constructor([major = 0n, minor = 0n, patch = 0n]: readonly bigint[], prerelease: readonly string[]) {
    super();
    this.major = major;
    this.minor = minor;
    this.patch = patch;
    this.prerelease = prerelease;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CelSemver && compare(this, other) === 0;
  }
}

/** A version, or the error in the text. */
function parse(text: string, normalize: boolean): CelSemver | string {
  const source = normalize ? normalized(text) : text;
  if (source === undefined) return 'short version cannot contain PreRelease/Build meta data';
  if (source === '') return 'Version string empty';
  const [major = '', minor, ...others] = source.split('.');
  const rest = others.join('.');
  if (minor === undefined || others.length === 0) return 'No Major.Minor.Patch elements found';
  const [, patch = '', prerelease, build] = /^([^-+]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(rest) ?? [];
  const problem =
    numberProblem('major', major) ??
    numberProblem('minor', minor) ??
    numberProblem('patch', patch) ??
    prereleaseProblem(prerelease) ??
    buildProblem(build);
  return problem ?? new CelSemver([major, minor, patch].map(BigInt), prerelease?.split('.') ?? []);
}

function numberProblem(part: string, digits: string): string | undefined {
  const Part = part === 'major' ? 'Major' : part === 'minor' ? 'Minor' : 'Patch';
  if (!/^\d*$/.test(digits)) return `Invalid character(s) found in ${part} number ${quoteText(digits)}`;
  if (digits.length > 1 && digits.startsWith('0'))
    return `${Part} number must not contain leading zeroes ${quoteText(digits)}`;
  if (digits === '') return 'strconv.ParseUint: parsing "": invalid syntax';
  if (BigInt(digits) >= 2n ** 64n) return `strconv.ParseUint: parsing ${quoteText(digits)}: value out of range`;
  return undefined;
}

function prereleaseProblem(prerelease: string | undefined): string | undefined {
  for (const part of prerelease?.split('.') ?? []) {
    if (part === '') return 'Prerelease is empty';
    if (/^\d+$/.test(part) && part.length > 1 && part.startsWith('0'))
      return `Numeric PreRelease version must not contain leading zeroes ${quoteText(part)}`;
    if (!/^[0-9A-Za-z-]+$/.test(part)) return `Invalid character(s) found in prerelease ${quoteText(part)}`;
  }
  return undefined;
}

function buildProblem(build: string | undefined): string | undefined {
  for (const part of build?.split('.') ?? []) {
    if (part === '') return 'Build meta data is empty';
    if (!/^[0-9A-Za-z-]+$/.test(part)) return `Invalid character(s) found in build meta data ${quoteText(part)}`;
  }
  return undefined;
}

/** Without a leading `v` and leading zeros, and with the parts that are missing; `undefined` for what has no such form. */
function normalized(text: string): string | undefined {
  const [major = '', minor, ...others] = text.replace(/^v/, '').split('.');
  const parts = [major, minor, others.length > 0 ? others.join('.') : undefined].filter((part) => part !== undefined);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) return undefined;
  return [...parts.map(withoutZeros), '0', '0'].slice(0, 3).join('.');
}

function withoutZeros(part: string): string {
  if (part.length < 2) return part;
  const rest = part.replace(/^0+/, '');
  return /^\d/.test(rest) ? rest : `0${rest}`;
}

function read(text: string, normalize = false): CelSemver {
  const version = parse(text, normalize);
  return typeof version === 'string' ? fail(version) : version;
}

function compare(a: CelSemver, b: CelSemver): number {
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

function isSemver(text: string, normalize = false): boolean {
  return typeof parse(text, normalize) !== 'string';
}

function comparison(name: string, id: string, test: (order: number) => boolean): FunctionDeclaration {
  return declare(
    name,
    member(signature(id, [semverType, semverType], boolType), (x: CelSemver, y: CelSemver) => test(compare(x, y))),
  );
}

export const semverTypes: readonly CelType[] = [semverType];

export const semverFunctions: readonly FunctionDeclaration[] = [
  declare(
    'semver',
    global(signature('string_to_semver', [stringType], semverType), (text: string) => read(text)),
    global(signature('string_bool_to_semver', [stringType, boolType], semverType), read),
  ),
  declare(
    'isSemver',
    global(signature('is_semver_string', [stringType], boolType), (text: string) => isSemver(text)),
    global(signature('is_semver_string_bool', [stringType, boolType], boolType), isSemver),
  ),
  comparison('isGreaterThan', 'semver_is_greater_than', (order) => order > 0),
  comparison('isLessThan', 'semver_is_less_than', (order) => order < 0),
  declare(
    'compareTo',
    member(signature('semver_compare_to', [semverType, semverType], intType), (x: CelSemver, y: CelSemver) =>
      BigInt(compare(x, y)),
    ),
  ),
  declare(
    'major',
    member(signature('semver_major', [semverType], intType), ({ major }: CelSemver) => major),
  ),
  declare(
    'minor',
    member(signature('semver_minor', [semverType], intType), ({ minor }: CelSemver) => minor),
  ),
  declare(
    'patch',
    member(signature('semver_patch', [semverType], intType), ({ patch }: CelSemver) => patch),
  ),
];
