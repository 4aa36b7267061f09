/**
 * The formats of names in the API. Each function returns the error message that clients see; none if the name is valid.
 */
export type NameCheck = (value: string) => string[];

const dnsLabel = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dnsSubdomain = `${dnsLabel}(\\.${dnsLabel})*`;
const dns1035Label = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualifiedName = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${qualifiedName})?`;
const httpPathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

const subdomainLength = 253;
const labelLength = 63;

const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

/** A regular expression with its error message. */
interface Form {
  readonly regex: RegExp;
  readonly message: string;
}

function form(pattern: string, message: string, examples: readonly string[]): Form {
  return { regex: new RegExp(`^(?:${pattern})$`), message: regexError(message, pattern, examples) };
}

/**
 * `message (e.g. 'a', or 'b', regex used for validation is 'x')`: the server's own spelling, double blanks included.
 */
export function regexError(message: string, pattern: string, examples: readonly string[]): string {
  const usage = `regex used for validation is '${pattern}')`;
  if (examples.length === 0) return `${message} (${usage}`;
  return `${message} (e.g. ${examples.map((one) => `'${one}'`).join(',  or ')}, ${usage}`;
}

const forms = {
  dns1123Label: form(
    dnsLabel,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
    ['my-name', '123-abc'],
  ),
  dns1123Subdomain: form(dnsSubdomain, subdomainMessage, ['example.com']),
  dns1035Label: form(
    dns1035Label,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    ['my-name', 'abc-123'],
  ),
  wildcardSubdomain: form(
    `\\*\\.${dnsSubdomain}`,
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    ['*.example.com'],
  ),
  qualifiedNamePart: form(
    qualifiedName,
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ['MyName', 'my.name', '123-abc'],
  ),
  labelValue: form(
    labelValue,
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ['MyValue', 'my_value', '12345'],
  ),
  /** Its message does without the expression. */
  relaxedEnvVarName: {
    regex: /^[ -<>-~]+$/,
    message: "a valid environment variable name must consist only of printable ASCII characters other than '='",
  },
  cIdentifier: form(
    '[A-Za-z_][A-Za-z0-9_]*',
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
    ['my_name', 'MY_NAME', 'MyName'],
  ),
  configMapKey: form('[-._a-zA-Z0-9]+', "a valid config key must consist of alphanumeric characters, '-', '_' or '.'", [
    'key.name',
    'KEY_NAME',
    'key-name',
  ]),
  percent: form('[0-9]+%', "a valid percent string must be a numeric string followed by an ending '%'", ['1%', '93%']),
  httpHeaderName: form('[-A-Za-z0-9]+', "a valid HTTP header must consist of alphanumeric characters or '-'", [
    'X-Header-Name',
  ]),
  httpPath: form(httpPathPattern, 'must be a valid path', ['domain.com/path']),
} as const;

export function maxLength(length: number): string {
  return `must be no more than ${length} bytes`;
}

function maxCharacters(length: number): string {
  return `must be no more than ${length} characters`;
}

const utf8 = /* @__PURE__ */ new TextEncoder();

/** The length in UTF-8, which is what the limits count. */
export function byteLength(text: string): number {
  // Without any character beyond ASCII, units are bytes.
  return /[\u{80}-\u{10ffff}]/u.test(text) ? utf8.encode(text).length : text.length;
}

/** Whether text has more bytes than `limit`; counted only where that is not plain from its length. */
function isLongerThan(text: string, limit: number): boolean {
  return text.length > limit || (text.length * 3 > limit && byteLength(text) > limit);
}

/** Rules for names of namespaces, containers, volumes and services. */
export function isDns1123Label(value: string): string[] {
  if (value.includes('.') && forms.dns1123Subdomain.regex.test(value)) {
    return [...(isLongerThan(value, labelLength) ? [maxCharacters(labelLength)] : []), 'must not contain dots'];
  }
  return check(value, forms.dns1123Label, labelLength);
}

/** Rules for most names. */
export function isDns1123Subdomain(value: string): string[] {
  return check(value, forms.dns1123Subdomain, subdomainLength);
}

export function isDns1035Label(value: string): string[] {
  return check(value, forms.dns1035Label, labelLength);
}

export function isWildcardDns1123Subdomain(value: string): string[] {
  return check(value, forms.wildcardSubdomain, subdomainLength);
}

/** `name` or `prefix.example.com/name`: keys of labels and annotations, finalizers, taints, resources. */
export function isQualifiedName(value: string): string[] {
  const errors: string[] = [];
  // Most are short and valid, which one test shows.
  if (value.length <= labelLength && goodQualifiedName.test(value)) return errors;
  const parts = value.split('/');
  if (parts.length > 2) return [`a valid label key ${qualifiedNameRule}`];
  const name = parts.at(-1) as string;
  if (parts.length === 2) {
    const prefix = parts[0] as string;
    if (prefix === '') errors.push('prefix part must be non-empty');
    else errors.push(...isDns1123Subdomain(prefix).map((message) => `prefix part ${message}`));
  }
  if (name === '') errors.push('name part must be non-empty');
  else if (isLongerThan(name, labelLength)) errors.push(`name part ${maxLength(labelLength)}`);
  if (!forms.qualifiedNamePart.regex.test(name)) errors.push(`name part ${forms.qualifiedNamePart.message}`);
  return errors;
}

const goodQualifiedName = /* @__PURE__ */ new RegExp(`^(?:${dnsSubdomain}/)?${qualifiedName}$`);

const qualifiedNameRule = `${forms.qualifiedNamePart.message} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;

/** The empty string, or up to 63 letters, digits, `-`, `_` and `.`. */
export function isLabelValue(value: string): string[] {
  const errors = isLongerThan(value, labelLength) ? [maxLength(labelLength)] : [];
  if (!forms.labelValue.regex.test(value)) errors.push(forms.labelValue.message);
  return errors;
}

/** `example.com/path`: a domain and something behind it. */
export function isDomainPrefixedPath(value: string): string[] {
  const slash = value.indexOf('/');
  if (value === '') return ['must not be empty'];
  const host = value.slice(0, slash);
  const path = value.slice(slash + 1);
  if (slash < 0 || host === '' || path === '') return ['must be a domain-prefixed path (such as "acme.io/foo")'];
  const errors = isDns1123Subdomain(host);
  if (!forms.httpPath.regex.test(path)) errors.push(forms.httpPath.message);
  return errors;
}

/** A service's or container's port name: at most 15 characters with a letter among them. */
export function isValidPortName(value: string): string[] {
  const errors: string[] = [];
  if (isLongerThan(value, 15)) errors.push(maxLength(15));
  if (!/^[-a-z0-9]+$/.test(value))
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)');
  if (value.includes('--')) errors.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

/** Since v1.34: anything printable but `=`. */
export function isRelaxedEnvVarName(value: string): string[] {
  return forms.relaxedEnvVarName.regex.test(value) ? [] : [forms.relaxedEnvVarName.message];
}

export function isCIdentifier(value: string): string[] {
  return forms.cIdentifier.regex.test(value) ? [] : [forms.cIdentifier.message];
}

export function isConfigMapKey(value: string): string[] {
  const errors = isLongerThan(value, subdomainLength) ? [maxLength(subdomainLength)] : [];
  if (!forms.configMapKey.regex.test(value)) errors.push(forms.configMapKey.message);
  return [...errors, ...hasDots(value)];
}

export function isHttpHeaderName(value: string): string[] {
  return forms.httpHeaderName.regex.test(value) ? [] : [forms.httpHeaderName.message];
}

export function isPercent(value: string): string[] {
  return forms.percent.regex.test(value) ? [] : [forms.percent.message];
}

/** Names that only need to fit into a path, such as those of roles. */
export function isPathSegmentName(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return pathContent(value);
}

/** The same for the beginning of a name, to which something is added. */
function isPathSegmentPrefix(value: string): string[] {
  return pathContent(value);
}

/** A check for whole names that takes the beginning of one too, as `generateName` is checked. */
export function withPrefix(check: NameCheck): (name: string, prefix: boolean) => string[] {
  return (name, prefix) => check(prefix ? maskTrailingDash(name) : name);
}

/** The check for names of kinds that require a DNS subdomain, which are most. */
export const validateDnsSubdomainName: (name: string, prefix: boolean) => string[] = withPrefix(isDns1123Subdomain);
export const validateDnsLabelName: (name: string, prefix: boolean) => string[] = withPrefix(isDns1123Label);

export function validatePathSegmentName(name: string, prefix: boolean): string[] {
  return prefix ? isPathSegmentPrefix(name) : isPathSegmentName(name);
}

/** A prefix may end in a dash, because more is to come. */
function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -1)}a` : name;
}

function check(value: string, { regex, message }: Form, length: number): string[] {
  const errors = isLongerThan(value, length) ? [maxCharacters(length)] : [];
  if (!regex.test(value)) errors.push(message);
  return errors;
}

function hasDots(value: string): string[] {
  if (value === '.') return ["must not be '.'"];
  if (value === '..') return ["must not be '..'"];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

function pathContent(value: string): string[] {
  return ['/', '%']
    .filter((character) => value.includes(character))
    .map((character) => `may not contain '${character}'`);
}
