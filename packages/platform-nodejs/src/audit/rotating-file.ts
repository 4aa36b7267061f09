import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

export interface RotationSettings {
  /** Size in bytes from which a file is rotated. */
  readonly maxBytes: number;
  /** Maximum number of rotated files; 0 for no limit. */
  readonly maxBackups: number;
  /** Maximum age of rotated files in days; 0 for no limit. */
  readonly maxAgeDays: number;
  readonly compresses: boolean;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * A file that is appended to, and renamed with the current time when it is rotated:
 * `audit-2026-01-02T15-04-05.000.log`.
 */
export class RotatingFile implements AsyncDisposable {
  readonly #path: string;
  readonly #settings: RotationSettings;
  readonly #now: () => number;
  #file: number;
  #bytes: number;
  #cleaning: Promise<void> = Promise.resolve();

  constructor(path: string, settings: RotationSettings, now: () => number = Date.now) {
    this.#path = path;
    this.#settings = settings;
    this.#now = now;
    mkdirSync(dirname(path), { recursive: true });
    this.#file = openSync(path, 'a', 0o600);
    this.#bytes = fstatSync(this.#file).size;
  }

  /** Text that does not fit is written to the next file as a whole. */
  append(text: string): void {
    const length = Buffer.byteLength(text);
    if (this.#bytes > 0 && this.#bytes + length > this.#settings.maxBytes) this.#rotate();
    // Written as text, which needs no buffer; only the rest of a short write is written as bytes.
    let done = writeSync(this.#file, text);
    if (done < length) {
      const bytes = Buffer.from(text);
      while (done < length) done += writeSync(this.#file, bytes, done);
    }
    this.#bytes += length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    closeSync(this.#file);
    await this.#cleaning;
  }

  #rotate(): void {
    closeSync(this.#file);
    const ending = extname(this.#path);
    const time = new Date(this.#now()).toISOString().replaceAll(':', '-').replace('Z', '');
    const aside = join(dirname(this.#path), `${basename(this.#path, ending)}-${time}${ending}`);
    renameSync(this.#path, aside);
    this.#file = openSync(this.#path, 'a', 0o600);
    this.#bytes = 0;
    this.#cleaning = this.#cleaning.then(() => this.#clean(aside)).catch(() => undefined);
  }

  async #clean(aside: string): Promise<void> {
    const { compresses, maxBackups, maxAgeDays } = this.#settings;
    if (compresses) {
      await pipeline(createReadStream(aside), createGzip(), createWriteStream(`${aside}.gz`, { mode: 0o600 }));
      await rm(aside);
    }
    const old = await this.#putAside();
    const oldest = maxAgeDays > 0 ? this.#now() - maxAgeDays * dayMs : 0;
    const excess = old.filter(({ at }, i) => (maxBackups > 0 && i >= maxBackups) || at < oldest);
    await Promise.all(excess.map(({ path }) => rm(path, { force: true })));
  }

  /** The newest first. */
  async #putAside(): Promise<readonly { readonly path: string; readonly at: number }[]> {
    const ending = extname(this.#path);
    const prefix = `${basename(this.#path, ending)}-`;
    const folder = dirname(this.#path);
    const found = (await readdir(folder)).flatMap((name) => {
      if (!name.startsWith(prefix)) return [];
      const [, day, hours, minutes, rest] =
        /^(.{10})T(\d\d)-(\d\d)-(\d\d\.\d{3})/.exec(name.slice(prefix.length)) ?? [];
      const at = Date.parse(`${day}T${hours}:${minutes}:${rest}Z`);
      return Number.isNaN(at) ? [] : [{ path: join(folder, name), at }];
    });
    return found.sort((a, b) => b.at - a.at);
  }
}
