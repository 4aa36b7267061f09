/** Printable characters that have no meaning of their own in an address. */
const atom = '[^\\0-\\x20\\x7f()<>[\\]:;@\\\\,".]+';
const dotted = `${atom}(?:\\.${atom})*`;
const quoted = '"(?:[^"\\\\\\0-\\x08\\n-\\x1f\\x7f]|\\\\[\\x20-\\x7e])*"';
const spec = `(?:${dotted}|${quoted})@(?:${dotted}|\\[[^\\[\\]\\\\\\0-\\x20\\x7f]+\\])`;
const blank = '[ \\t]*';
const comment = `(?:\\([^()\\\\]*\\)${blank})*`;
const word = '(?:[^\\0-\\x20\\x7f()<>[\\]:;@\\\\,"]+|"(?:[^"\\\\]|\\\\.)*")';

const bare = new RegExp(`^${blank}${spec}${blank}${comment}$`);
const named = new RegExp(`^${blank}(?:${word}${blank})*<${spec}>${blank}${comment}$`);

/** The format `email`, as in RFC 5322: `a@b`, `"a b"@c.d`, `Some One <a@b>`. */
export function isEmail(text: string): boolean {
  return bare.test(text) || named.test(text);
}
