import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Deferred } from '@coracle/base';
import { searchPath, ToolError } from './run-tool.js';

/** Reads the names of files, applies them one after the other, and answers each with the exit code of `nft`. */
const script = 'while IFS= read -r file; do nft -f "$file" 2>"$file.errors"; echo $?; done';

/**
 * Starts `nft` for each transaction, through a long-running shell: starting a process takes a process as large as this
 * one many times as long as a shell. Transactions are applied in order.
 */
export class NftShell implements Disposable {
  readonly #netns: string | undefined;
  readonly #folder = mkdtempSync(join(tmpdir(), 'coracle-nft-'));
  readonly #waiting: { readonly file: string; readonly done: Deferred<void> }[] = [];
  #shell: ChildProcessWithoutNullStreams | undefined;
  #count = 0;

  constructor(netns: string | undefined) {
    this.#netns = netns;
  }

  apply(statements: string): Promise<void> {
    const file = join(this.#folder, String(++this.#count));
    writeFileSync(file, statements, { mode: 0o600 });
    const done = new Deferred<void>();
    this.#waiting.push({ file, done });
    this.#running().stdin.write(`${file}\n`);
    return done.promise;
  }

  [Symbol.dispose](): void {
    this.#shell?.stdin.end();
    this.#shell = undefined;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #running(): ChildProcessWithoutNullStreams {
    if (this.#shell) return this.#shell;
    const words = this.#netns === undefined ? [] : ['nsenter', `--net=${this.#netns}`];
    const [file = 'sh', ...rest] = [...words, 'sh', '-c', script];
    const shell = spawn(file, rest, { env: { PATH: searchPath } });
    this.#shell = shell;
    let begun = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (begun + text).split('\n');
      begun = lines.pop() ?? '';
      for (const line of lines) void this.#answered(Number(line));
    });
    shell.stdin.on('error', () => undefined);
    for (const event of ['error', 'close']) shell.once(event, () => this.#lost(shell));
    // It must not keep an otherwise idle process alive.
    shell.unref();
    for (const stream of shell.stdio) if (stream instanceof Socket) stream.unref();
    return shell;
  }

  async #answered(code: number): Promise<void> {
    const first = this.#waiting.shift();
    if (!first) return;
    const errors = code === 0 ? '' : await readFile(`${first.file}.errors`, 'utf8').catch(() => `exit code ${code}`);
    for (const name of [first.file, `${first.file}.errors`]) rmSync(name, { force: true });
    if (code === 0) first.done.resolve();
    else first.done.reject(new ToolError('nft', errors));
  }

  /**
   * It is unknown whether the last transactions were applied: a caller that waits for one has to write everything
   * again.
   */
  #lost(shell: ChildProcessWithoutNullStreams): void {
    if (this.#shell !== shell) return;
    this.#shell = undefined;
    for (const { done } of this.#waiting.splice(0))
      done.reject(new ToolError('nft', 'the shell that starts it has exited'));
  }
}
