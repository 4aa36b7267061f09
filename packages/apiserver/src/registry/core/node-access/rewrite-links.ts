import type { ApiResponse, ByteStream } from '@coracle/apimachinery';

/** The location of a page, and the location at which the client sees it. */
export interface LinkBase {
  /** The path of the proxy, which precedes every path of the target. */
  readonly prefix: string;
  /** The address of the target, as its pages refer to it. */
  readonly host: string;
}

/** Attributes that hold a URL, by the element that has them. */
const urlAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
};

/** Elements whose content is raw text. */
const rawText: ReadonlySet<string> = new Set(['script', 'style', 'textarea', 'title']);

/** Maximum length of a tag that is rewritten; longer ones are passed through. */
const longestTag = 64 * 1024;

/** Rewrites links in pages, and redirects, to go through the proxy. Bodies other than HTML pass through unchanged. */
export function rewriteLinks(response: ApiResponse, base: LinkBase): ApiResponse {
  const { location, ...headers } = response.headers;
  const moved: ApiResponse =
    typeof location === 'string'
      ? { ...response, headers: { ...headers, location: rewriteUrl(location, base) } }
      : response;
  if (!isPlainHtml(response)) return moved;
  const { 'content-length': _length, ...rest } = moved.headers;
  const { body } = moved;
  if (body.kind === 'stream')
    return { ...moved, headers: rest, body: { ...body, stream: rewritten(body.stream, base) } };
  if (body.kind !== 'bytes') return moved;
  const rewriter = new HtmlRewriter(base);
  const chunks = [...body.chunks.map((chunk) => toBytes(rewriter.push(toText(chunk)))), toBytes(rewriter.end())];
  return { ...moved, headers: rest, body: { kind: 'bytes', chunks } };
}

function isPlainHtml({ headers }: ApiResponse): boolean {
  const [type = ''] = String(headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase() === 'text/html' && !headers['content-encoding'];
}

function rewritten(stream: ByteStream, base: LinkBase): ByteStream {
  const rewriter = new HtmlRewriter(base);
  return {
    open: (sink) =>
      stream.open({
        write: (chunk) => sink.write(toBytes(rewriter.push(toText(chunk)))),
        end: (cut) => {
          sink.write(toBytes(rewriter.end()));
          sink.end(cut);
        },
        onDrain: (listener) => sink.onDrain(listener),
        onClose: (listener) => sink.onClose(listener),
      }),
  };
}

/** Decoded as Latin-1: tags are ASCII in every encoding of pages, and all other bytes are passed through. */
function toText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function toBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Rewrites a page chunk by chunk; the possible beginning of a tag waits for the next chunk. */
export class HtmlRewriter {
  readonly #base: LinkBase;
  #pending = '';
  /** The element whose end tag is expected: its content is not parsed. */
  #within: string | undefined;

  constructor(base: LinkBase) {
    this.#base = base;
  }

  push(text: string): string {
    this.#pending += text;
    let out = '';
    for (let piece = this.#take(); piece !== undefined; piece = this.#take()) out += piece;
    return out;
  }

  end(): string {
    const rest = this.#pending;
    this.#pending = '';
    return rest;
  }

  /** The next complete token. */
  #take(): string | undefined {
    const pending = this.#pending;
    if (pending === '') return undefined;
    const start = pending.indexOf(this.#within ? '</' : '<');
    if (start === -1) return this.#cut(this.#within && pending.endsWith('<') ? pending.length - 1 : pending.length);
    if (start > 0) return this.#cut(start);
    const length = pending.startsWith('<!--') ? commentLength(pending) : tagLength(pending);
    if (length === 0) return pending.length > longestTag ? this.#cut(1) : undefined;
    return this.#tag(this.#cut(length) ?? '');
  }

  #cut(length: number): string | undefined {
    if (length === 0) return undefined;
    const piece = this.#pending.slice(0, length);
    this.#pending = this.#pending.slice(length);
    return piece;
  }

  #tag(tag: string): string {
    const name = /^<\/?([a-z][^\s/>]*)/i.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined) return tag;
    if (tag.startsWith('</')) {
      if (this.#within === name) this.#within = undefined;
      return tag;
    }
    if (this.#within) return tag;
    if (rawText.has(name) && !tag.endsWith('/>')) this.#within = name;
    const attributes = urlAttributes[name];
    return attributes ? rewriteTag(tag, attributes, this.#base) : tag;
  }
}

function commentLength(text: string): number {
  const end = text.indexOf('-->');
  return end === -1 ? 0 : end + 3;
}

/** The length of the tag; zero until it is complete. A `>` in quotes does not end it. */
function tagLength(text: string): number {
  let quote = '';
  for (let i = 1; i < text.length; i++) {
    const character = text.charAt(i);
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return i + 1;
    else if ((character === '"' || character === "'") && text.charAt(i - 1) === '=') quote = character;
  }
  return 0;
}

const attribute = /([^\s=/>"']+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)/g;

function rewriteTag(tag: string, names: readonly string[], base: LinkBase): string {
  return tag.replace(attribute, (whole, name: string, equals: string, value: string) => {
    if (!names.includes(name.toLowerCase())) return whole;
    const quote = value.startsWith('"') || value.startsWith("'") ? value.charAt(0) : '';
    const url = quote === '' ? value : value.slice(1, -1);
    return `${name}${equals}${quote}${rewriteUrl(url, base)}${quote}`;
  });
}

/** Unchanged: relative URLs, those of other hosts, and those that already go through the proxy. */
export function rewriteUrl(url: string, { prefix, host }: LinkBase): string {
  const [, , authority, path = ''] = /^([a-z][a-z0-9+.-]*:)?(?:\/\/([^/?#]*))?(.*)$/is.exec(url) ?? [];
  if (authority !== undefined && authority !== host) return url;
  if (authority === undefined && !url.startsWith('/')) return url;
  const rooted = path.startsWith('/') ? path : `/${path}`;
  return rooted.startsWith(`${prefix}/`) ? rooted : `${prefix}${rooted}`;
}
