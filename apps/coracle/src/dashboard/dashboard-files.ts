import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { ApiRequest, ApiResponse } from '@coracle/apimachinery';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** The files of the page, as built; each has a compressed copy. */
export class DashboardFiles {
  readonly #folder: string;
  readonly #files = new Map<string, Promise<Uint8Array>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The file of a path. Every path that is not one of a file belongs to the page itself. */
  async answer({ path, headers }: ApiRequest): Promise<ApiResponse | undefined> {
    const name = nameOf(path);
    if (name === undefined) return undefined;
    const gzipped = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
    const bytes = await this.#read(gzipped ? `${name}.gz` : name).catch(() => undefined);
    if (!bytes) return undefined;
    return {
      status: 200,
      headers: {
        'content-type': types[extname(name)] ?? 'application/octet-stream',
        // Names hold a hash of what they hold; the page itself does not.
        'cache-control': name === 'index.html' ? 'no-cache' : 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        ...(gzipped && { 'content-encoding': 'gzip' }),
      },
      body: { kind: 'bytes', chunks: [bytes] },
    };
  }

  #read(name: string): Promise<Uint8Array> {
    const entry = this.#files.get(name) ?? readFile(join(this.#folder, name));
    this.#files.set(name, entry);
    entry.catch(() => this.#files.delete(name));
    return entry;
  }
}

/** Names are those that the build makes: letters, digits, dashes, one folder deep. */
function nameOf(path: string): string | undefined {
  const match = /^\/(assets\/[\w-]+(?:\.[\w-]+)*\.(?:js|css|svg))$/.exec(path);
  if (match) return match[1];
  return path.startsWith('/assets/') ? undefined : 'index.html';
}
