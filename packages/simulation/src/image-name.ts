/** The name that a runtime keeps an image under: `nginx` → `docker.io/library/nginx:latest`. */
export function fullImageName(name: string): string {
  const slash = name.indexOf('/');
  const host = slash < 0 ? '' : name.slice(0, slash);
  const hasHost = /[.:]/.test(host) || host === 'localhost';
  const path = hasHost ? name : `docker.io/${slash < 0 ? 'library/' : ''}${name}`;
  return /@|:[^/]*$/.test(path.slice(path.indexOf('/'))) ? path : `${path}:latest`;
}

/** A digest that is always the same for the same text, and looks like SHA-256. */
export function pseudoDigest(text: string): string {
  let digits = '';
  for (let round = 0; round < 8; round++) {
    let hash = 0x811c9dc5 ^ Math.imul(round, 0x9e3779b1);
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    hash ^= hash >>> 15;
    digits += (Math.imul(hash, 0x2c1b3c6d) >>> 0).toString(16).padStart(8, '0');
  }
  return `sha256:${digits}`;
}

/**
 * True for an image that says by its name that it does not exist: with a tag such as `404` or `non-existent`, or of a
 * registry in the domain `.invalid`, which RFC 2606 reserves for this.
 */
export function isNowhere(name: string): boolean {
  const full = fullImageName(name);
  const registry = full.slice(0, full.indexOf('/')).replace(/:\d+$/, '');
  const tag = /:([^/@]*)$/.exec(full)?.[1] ?? '';
  return registry.endsWith('.invalid') || /^(404|non-?existent|does-?not-?exist|not-?found)$/.test(tag);
}
