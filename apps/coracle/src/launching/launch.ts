import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { CodeCache } from './code-cache.js';
import { Pack } from './pack.js';
import { ReadBuffer } from './read-buffer.js';

/** The export `main` of a program's entry: it runs to its end and returns the exit code. */
type Main = (args: readonly string[]) => Promise<number>;

type Exports = Record<string, unknown>;

export interface LaunchOptions {
  /** `coracle` or `kubectl`: its chunks are in `NAME.pack` beside the launcher. */
  readonly program: string;
  readonly directory: string;
  readonly args: readonly string[];
  /** That of the launcher, for what is not in the pack. */
  readonly require: NodeJS.Require;
  /** Ends the process with this code, when everything is done. */
  readonly end: (exitCode: number) => void;
  /** When a program that runs on has compiled what its start needs. */
  readonly startedAfterMs?: number;
}

/**
 * Runs a program out of its pack, with the code that V8 compiled for the same command before. What it had to compile is
 * written when the command has ended, or when it has run for a while.
 */
export async function launch(options: LaunchOptions): Promise<void> {
  const { program, directory, args, startedAfterMs } = options;
  const buffer = new ReadBuffer();
  const pack = new Pack(join(directory, `${program}.pack`), buffer);
  const cache = openCache({ index: pack.index, buffer }, options);
  const chunks = new Chunks(pack, cache, options);
  const { main } = chunks.load(pack.index.entry);
  if (!isMain(main)) throw new Error(`${program}.pack: the entry exports no function main`);
  if (startedAfterMs !== undefined) setTimeout(() => chunks.save(true), startedAfterMs).unref();
  const exitCode = await main(args);
  chunks.save(exitCode === 0);
  options.end(exitCode);
}

function isMain(value: unknown): value is Main {
  return typeof value === 'function';
}

/** The chunks that have been loaded, each once. */
class Chunks {
  readonly #pack: Pack;
  readonly #cache: CodeCache | undefined;
  readonly #require: NodeJS.Require;
  readonly #filename: string;
  readonly #url: string;
  readonly #loaded = new Map<string, { readonly exports: Exports }>();
  readonly #scripts = new Map<string, Script>();
  /** Those whose code was not in the cache. */
  readonly #unsaved = new Set<string>();

  constructor(pack: Pack, cache: CodeCache | undefined, { directory, program, require }: LaunchOptions) {
    this.#pack = pack;
    this.#cache = cache;
    this.#require = require;
    this.#filename = join(directory, `${program}.pack`);
    this.#url = pathToFileURL(join(directory, `${program}.js`)).href;
  }

  load(chunk: string): Exports {
    const cached = this.#loaded.get(chunk);
    if (cached) return cached.exports;
    const module = { exports: {} };
    this.#loaded.set(chunk, module);
    // The text is a copy; the compiled code is in the buffer that both are read into.
    const text = this.#pack.text(chunk);
    const cachedData = this.#cache?.find(chunk);
    const script = new Script(text, {
      filename: `${this.#filename}/${chunk}`,
      ...(cachedData && { cachedData }),
    });
    if (!cachedData || script.cachedDataRejected) this.#unsaved.add(chunk);
    this.#scripts.set(chunk, script);
    const evaluate = script.runInThisContext() as (...scope: unknown[]) => void;
    const require = (name: string) => (name.startsWith('./') ? this.load(chunkName(name)) : this.#require(name));
    evaluate(module.exports, require, module, this.#url, importModule);
    return module.exports;
  }

  /**
   * Writes what was compiled, unless it was all there before. Code that the cache has stays as it is: V8 drops functions
   * that have not run for a while, so that the same chunk would lack those of the start later.
   */
  save(complete: boolean): void {
    if (!this.#cache) return;
    const all = complete && !this.#cache.isComplete;
    const compiled = new Map<string, Buffer>();
    for (const [chunk, script] of this.#scripts) {
      if (all || this.#unsaved.has(chunk)) compiled.set(chunk, script.createCachedData());
    }
    this.#unsaved.clear();
    if (compiled.size > 0) this.#cache.save(compiled, complete);
  }
}

/** For modules outside of the pack, by their URL. A script that Node.js did not load itself cannot import any. */
function importModule(url: string): Promise<unknown> {
  return import(url);
}

/** `./chunks/x.js`, as the build writes imports, is `x.js`. */
function chunkName(specifier: string): string {
  return specifier.slice(specifier.lastIndexOf('/') + 1);
}

function openCache(
  { index, buffer }: { readonly index: Pack['index']; readonly buffer: ReadBuffer },
  { program, args }: LaunchOptions,
): CodeCache | undefined {
  const { env, execArgv, version, arch } = process;
  const home = env['HOME'] ?? env['USERPROFILE'];
  const root = env['KUBECACHEDIR'] || (home && join(home, '.kube/cache'));
  if (!root || env['NODE_DISABLE_COMPILE_CACHE']) return undefined;
  const word = args.find((one) => !one.startsWith('-')) ?? '';
  return new CodeCache({
    directory: join(root, 'coracle'),
    name: index.words.includes(word) ? `${program}-${word}` : program,
    key: [index.hash, version, arch, ...execArgv, env['NODE_OPTIONS'] ?? ''].join(' '),
    buffer,
  });
}
