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

interface FormatCheck {
  readonly check: NameCheck;
  readonly size: number;
}

/** A form that text may have. */
class CelFormat extends CelOpaque {
  readonly type: CelType = formatType;
  readonly name: string;
  readonly check: NameCheck;
  readonly #size: number;

  constructor(name: string, { check, size }: FormatCheck) {
    super();
    this.name = name;
    this.check = check;
    this.#size = size;
  }

  /** Length of the pattern with which it is assumed to be checked. */
  override get size(): number {
    return this.#size;
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

const checks: Readonly<Record<string, FormatCheck>> = {
  dns1123Label: { check: isDns1123Label, size: 30 },
  dns1123Subdomain: { check: isDns1123Subdomain, size: 60 },
  dns1035Label: { check: isDns1035Label, size: 30 },
  qualifiedName: { check: isQualifiedName, size: 60 },
  dns1123LabelPrefix: { check: prefixOf(isDns1123Label), size: 30 },
  dns1123SubdomainPrefix: { check: prefixOf(isDns1123Subdomain), size: 60 },
  dns1035LabelPrefix: { check: prefixOf(isDns1035Label), size: 30 },
  labelValue: { check: isLabelValue, size: 40 },
  uri: { check: (value) => [requestUrlProblem(value) ?? []].flat(), size: 1120 },
  uuid: { check: matching(isUuid, 'does not match the UUID format'), size: 70 },
  byte: { check: matching(isBase64, 'invalid base64'), size: 84 },
  date: { check: matching(isDate, 'invalid date'), size: 71 },
  datetime: { check: matching(isDateTime, 'invalid datetime'), size: 71 },
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
