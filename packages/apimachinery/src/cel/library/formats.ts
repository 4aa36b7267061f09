import { requestUrlProblem } from '../../go-url.js';
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  type NameCheck,
  withPrefix,
} from '../../names.js';
import { isBase64, isDate, isDateTime, isUuid } from '../../text-formats.js';
import { declare, type FunctionDeclaration, global, member, signature } from '../overload.js';
import { ValueList } from '../values/cel-list.js';
import { type CelType, listType, opaqueType, optionalType, stringType } from '../values/cel-type.js';
import { CelOpaque, CelOptional } from '../values/cel-value.js';

const formatType = opaqueType('kubernetes.NamedFormat');

/** A form that text may have. */
class CelFormat extends CelOpaque {
  readonly type: CelType = formatType;
  readonly name: string;
  readonly check: NameCheck;

  constructor(name: string, check: NameCheck) {
    super();
    this.name = name;
    this.check = check;
  }

  /** The length of the longest pattern that any format is checked with: costs are counted by it. */
  override get size(): number {
    return 1;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CelFormat && other.name === this.name;
  }
}

function prefixOf(check: NameCheck): NameCheck {
  const withDash = withPrefix(check);
  return (value) => withDash(value, true);
}

function matching(test: (value: string) => boolean, problem: string): NameCheck {
  return (value) => (test(value) ? [] : [problem]);
}

const checks: Readonly<Record<string, NameCheck>> = {
  dns1123Label: isDns1123Label,
  dns1123Subdomain: isDns1123Subdomain,
  dns1035Label: isDns1035Label,
  qualifiedName: isQualifiedName,
  dns1123LabelPrefix: prefixOf(isDns1123Label),
  dns1123SubdomainPrefix: prefixOf(isDns1123Subdomain),
  dns1035LabelPrefix: prefixOf(isDns1035Label),
  labelValue: isLabelValue,
  uri: (value) => [requestUrlProblem(value) ?? []].flat(),
  uuid: matching(isUuid, 'does not match the UUID format'),
  byte: matching(isBase64, 'invalid base64'),
  date: matching(isDate, 'invalid date'),
  datetime: matching(isDateTime, 'invalid datetime'),
};

const formats: ReadonlyMap<string, CelFormat> = new Map(
  Object.entries(checks).map(([name, check]) => [name, new CelFormat(name, check)]),
);

function validate({ check }: CelFormat, text: string): CelOptional {
  const problems = check(text);
  return problems.length > 0 ? new CelOptional(new ValueList(problems)) : CelOptional.none;
}

export const formatTypes: readonly CelType[] = [formatType];

/** `!format.dns1123Label().validate(self.name).hasValue()`: absent when the text is right, else what is wrong. */
export const formatFunctions: readonly FunctionDeclaration[] = [
  declare(
    'format.named',
    global(
      signature('format-named', [stringType], optionalType(formatType)),
      (name: string) => new CelOptional(formats.get(name)),
    ),
  ),
  declare(
    'validate',
    member(signature('format-validate', [formatType, stringType], optionalType(listType(stringType))), validate),
  ),
  ...[...formats].map(([name, format]) =>
    declare(
      `format.${name}`,
      global(signature(`format-${name}`, [], formatType), () => format),
    ),
  ),
];
