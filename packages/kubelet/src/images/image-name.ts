/** `docker.io`, with or without a port, or an address. */
const domain =
  /^(?:(?:[A-Za-z\d]|[A-Za-z\d][A-Za-z\d-]*[A-Za-z\d])(?:\.(?:[A-Za-z\d]|[A-Za-z\d][A-Za-z\d-]*[A-Za-z\d]))*|\[[A-Fa-f\d:]+\])(?::\d+)?$/;
const pathComponent = /^[a-z\d]+(?:(?:[._]|__|-+)[a-z\d]+)*$/;
const tag = /^\w[\w.-]{0,127}$/;
const digest = /^[A-Za-z][A-Za-z\d]*(?:[-_+.][A-Za-z][A-Za-z\d]*)*:[A-Fa-f\d]{32,}$/;
const identifier = /^[a-f\d]{64}$/;
const longestRepository = 255;
const digestLengths: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

const malformed = 'invalid reference format';

/** The error in the name of an image, with the message of upstream's libraries; `undefined` if it is valid. */
export function imageNameProblem(name: string): string | undefined {
  if (identifier.test(name)) return `invalid repository name (${name}), cannot specify 64-byte hexadecimal strings`;
  const { host, rest } = splitHost(name);
  const remote = rest.split(':', 1)[0] ?? '';
  if (remote.toLowerCase() !== remote) return `${malformed}: repository name (${remote}) must be lowercase`;
  const [named = '', checksum] = splitAt(rest, '@');
  const [path = '', version] = splitAt(named, ':');
  const isWellFormed =
    domain.test(host) &&
    path.split('/').every((component) => pathComponent.test(component)) &&
    (version === undefined || tag.test(version)) &&
    (checksum === undefined || digest.test(checksum));
  if (!isWellFormed) return malformed;
  if (path.length > longestRepository) return `repository name must not be more than ${longestRepository} characters`;
  return checksum === undefined ? undefined : digestProblem(checksum);
}

/** A first component without a dot or a port is a user of the default registry, not a registry. */
function splitHost(name: string): { readonly host: string; readonly rest: string } {
  const [first = '', rest] = splitAt(name, '/');
  const isHost = rest !== undefined && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  if (isHost) return { host: first, rest };
  return { host: 'docker.io', rest: rest === undefined ? `library/${name}` : name };
}

function digestProblem(checksum: string): string | undefined {
  const [algorithm = '', hex = ''] = checksum.split(':');
  const length = Object.hasOwn(digestLengths, algorithm) ? digestLengths[algorithm] : undefined;
  if (length === undefined) return 'unsupported digest algorithm';
  return hex.length === length ? undefined : 'invalid checksum digest length';
}

/** The text before the first separator, and the text after it if there is one. */
function splitAt(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
