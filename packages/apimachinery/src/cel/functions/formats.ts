import { type Environment, Optional } from '@marcbachmann/cel-js';
import { decodeBytes } from '../../decode-scalar.js';
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  type NameCheck,
  withPrefix,
} from '../../names.js';
import { parseInstant } from '../../time.js';

const type = 'kubernetes.NamedFormat';

class NamedFormat {
  readonly name: string;
  readonly check: NameCheck;

  constructor(name: string, check: NameCheck) {
    this.name = name;
    this.check = check;
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
  uri: matching(
    (value) => /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/?#]+|\/)[^\s]*$/.test(value),
    'invalid URI for request',
  ),
  uuid: matching(
    (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value),
    'does not match the UUID format',
  ),
  byte: matching((value) => decodeBytes(value) !== undefined, 'invalid base64'),
  date: matching((value) => parseInstant(`${value}T00:00:00Z`) !== undefined, 'invalid date'),
  datetime: matching((value) => parseInstant(value) !== undefined, 'invalid datetime'),
};

/** `!format.dns1123Label().validate(self.name).hasValue()`: empty when the text is right, else what is wrong. */
export function registerFormats(environment: Environment): void {
  class Formats {}
  environment
    .registerType(type, NamedFormat)
    .registerType('FormatsNamespace', Formats)
    .registerConstant('format', 'FormatsNamespace', new Formats())
    .registerFunction(`FormatsNamespace.named(string): optional<${type}>`, (_: Formats, name: string) => {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
      return check ? Optional.of(new NamedFormat(name, check)) : Optional.none();
    })
    .registerFunction(`${type}.validate(string): optional<list<string>>`, ({ check }: NamedFormat, text: string) => {
      const problems = check(text);
      return problems.length > 0 ? Optional.of(problems) : Optional.none();
    });
  for (const [name, check] of Object.entries(checks))
    environment.registerFunction(`FormatsNamespace.${name}(): ${type}`, () => new NamedFormat(name, check));
}
