import { concatBytes } from '@coracle/base';

/** A file, folder or link in an archive. */
export interface TarEntry {
  readonly name: string;
  readonly type: 'file' | 'directory' | 'symlink';
  readonly mode?: number;
  readonly modifiedAtSeconds?: number;
  /** Where a link leads. */
  readonly target?: string;
  readonly data?: Uint8Array;
}

const block = 512;
const types = { file: '0', directory: '5', symlink: '2' } as const;
const longName = 'L';
const longTarget = 'K';

/** An archive as `tar` reads it. Names longer than its field get an entry of their own, as GNU's does it. */
export function* writeTar(entries: Iterable<TarEntry>): Iterable<Uint8Array> {
  for (const entry of entries) {
    const { name, type, target = '', data = new Uint8Array() } = entry;
    yield* longText(longName, name);
    yield* longText(longTarget, target);
    const size = type === 'file' ? data.length : 0;
    yield header({
      name,
      type: types[type],
      target,
      size,
      mode: entry.mode ?? (type === 'directory' ? 0o755 : 0o644),
      at: entry.modifiedAtSeconds ?? 0,
    });
    if (size > 0) yield* padded(data);
  }
  yield new Uint8Array(2 * block);
}

/** Reads an archive from bytes in chunks of any size. Unknown kinds of entries are skipped. */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncIterable<TarEntry> {
  const reader = new BlockReader(chunks[Symbol.asyncIterator]());
  let next: { name?: string; target?: string } = {};
  for (let head = await reader.read(block); head?.some((byte) => byte !== 0); head = await reader.read(block)) {
    const size = Number.parseInt(text(head, 124, 12) || '0', 8);
    const body = (await reader.read(Math.ceil(size / block) * block))?.slice(0, size);
    if (!body) throw new Error('the archive ends in the middle of an entry');
    const flag = String.fromCharCode(head[156] ?? 0);
    if (flag === longName) next = { ...next, name: text(body, 0, size) };
    else if (flag === longTarget) next = { ...next, target: text(body, 0, size) };
    else if (flag === 'x') next = { ...next, ...paxRecords(body) };
    else {
      const entry = entryOf(head, flag, { body, ...next });
      next = {};
      if (entry) yield entry;
    }
  }
}

function entryOf(
  head: Uint8Array,
  flag: string,
  extended: { body: Uint8Array; name?: string; target?: string },
): TarEntry | undefined {
  const prefix = text(head, 257, 5) === 'ustar' && text(head, 263, 2) === '00' ? text(head, 345, 155) : '';
  const name = extended.name ?? (prefix ? `${prefix}/${text(head, 0, 100)}` : text(head, 0, 100));
  const common = {
    name,
    mode: Number.parseInt(text(head, 100, 8), 8),
    modifiedAtSeconds: Number.parseInt(text(head, 136, 12), 8),
  };
  if (flag === types.directory) return { ...common, type: 'directory' };
  if (flag === types.symlink) return { ...common, type: 'symlink', target: extended.target ?? text(head, 157, 100) };
  if (flag === types.file || flag === '\0') return { ...common, type: 'file', data: extended.body };
  return undefined;
}

/** `27 path=some/long/name\n`: the length counts the whole line. */
function paxRecords(body: Uint8Array): { name?: string; target?: string } {
  const found: { name?: string; target?: string } = {};
  for (let at = 0; at < body.length; ) {
    const length = Number.parseInt(new TextDecoder().decode(body.subarray(at, at + 12)), 10);
    if (!(length > 0)) break;
    const [, key, value = ''] =
      /^\d+ ([^=]+)=([\s\S]*)\n$/.exec(new TextDecoder().decode(body.subarray(at, at + length))) ?? [];
    if (key === 'path') found.name = value;
    if (key === 'linkpath') found.target = value;
    at += length;
  }
  return found;
}

function* longText(flag: string, value: string): Iterable<Uint8Array> {
  const bytes = new TextEncoder().encode(value);
  if (bytes.length < 100) return;
  const terminated = new Uint8Array(bytes.length + 1);
  terminated.set(bytes);
  yield header({ name: '././@LongLink', type: flag, target: '', size: terminated.length, mode: 0, at: 0 });
  yield* padded(terminated);
}

interface Head {
  readonly name: string;
  readonly type: string;
  readonly target: string;
  readonly size: number;
  readonly mode: number;
  readonly at: number;
}

function header({ name, type, target, size, mode, at }: Head): Uint8Array {
  const bytes = new Uint8Array(block);
  const put = (offset: number, value: string, length: number) =>
    bytes.set(new TextEncoder().encode(value).subarray(0, length), offset);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  put(0, name, 99);
  put(100, octal(mode, 7), 7);
  put(108, octal(0, 7), 7);
  put(116, octal(0, 7), 7);
  put(124, octal(size, 11), 11);
  put(136, octal(at, 11), 11);
  // The checksum is computed with blanks in its own field.
  put(148, '        ', 8);
  put(156, type, 1);
  put(157, target, 99);
  put(257, 'ustar  ', 7);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 6)}\0 `, 8);
  return bytes;
}

function* padded(data: Uint8Array): Iterable<Uint8Array> {
  yield data;
  const rest = data.length % block;
  if (rest > 0) yield new Uint8Array(block - rest);
}

function text(bytes: Uint8Array, offset: number, length: number): string {
  const field = bytes.subarray(offset, offset + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end)).trimEnd();
}

class BlockReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(source: AsyncIterator<Uint8Array>) {
    this.#source = source;
  }

  /** So many bytes, or `undefined` if the source ends before. */
  async read(size: number): Promise<Uint8Array | undefined> {
    const parts = [this.#rest];
    let have = this.#rest.length;
    while (have < size) {
      const { value, done } = await this.#source.next();
      if (done) return undefined;
      parts.push(value);
      have += value.length;
    }
    const all = parts.length === 1 ? this.#rest : concatBytes(parts);
    this.#rest = all.subarray(size);
    return all.subarray(0, size);
  }
}
