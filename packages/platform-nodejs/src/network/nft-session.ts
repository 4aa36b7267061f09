import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Deferred } from '@coracle/base';
import { searchPath, ToolError } from './run-tool.js';

/** Number of transactions after which the process is replaced, because it keeps every line in memory. */
const mostTransactions = 5_000;
const patienceMs = 10_000;

/** A line that no `nft` accepts: its error message shows that everything before is done. */
function marker(count: number): string {
  return `coracle-done-${count}`;
}

/**
 * The output of an interactive `nft` before a marker; undefined until then. It repeats the line under its error
 * message, with a pointer into it.
 */
export function outputBefore(output: string, mark: string): string | undefined {
  const at = output.indexOf(`\n${mark}\n`);
  if (at < 0 || !output.includes('^', at + mark.length)) return undefined;
  return output.slice(0, output.lastIndexOf('\n', at - 1) + 1).trim();
}

/**
 * A long-running interactive `nft`: a transaction costs a tenth of a separate process. Each transaction is a file that
 * is included, so that it is applied as a whole or not at all. One at a time.
 */
export class NftSession implements Disposable {
  readonly #netns: string | undefined;
  readonly #folder = mkdtempSync(join(tmpdir(), 'coracle-nft-'));
  #child: ChildProcessWithoutNullStreams | undefined;
  #output = '';
  #count = 0;
  #left = 0;
  #answer: Deferred<string> | undefined;

  constructor(netns: string | undefined) {
    this.#netns = netns;
  }

  /** Whether there is an `nft` that answers as expected; not every build has an interactive mode. */
  async isUsable(): Promise<boolean> {
    if (this.#child && this.#left > 0) return true;
    this.#end();
    this.#start();
    const answer = this.#ask('');
    const timer = setTimeout(() => this.#end(), patienceMs);
    return answer
      .then(
        () => true,
        () => false,
      )
      .finally(() => clearTimeout(timer));
  }

  /** Fails with a ToolError, also when `nft` exits: then it is unknown whether the transaction was applied. */
  async apply(statements: string): Promise<void> {
    const file = join(this.#folder, 'transaction');
    writeFileSync(file, statements, { mode: 0o600 });
    const output = await this.#ask(`include "${file}"\n`);
    // There may be warnings too.
    if (/error/i.test(output)) throw new ToolError('nft', output);
  }

  [Symbol.dispose](): void {
    this.#end();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #ask(line: string): Promise<string> {
    if (!this.#child) return Promise.reject(new ToolError('nft', 'the process has exited'));
    const answer = new Deferred<string>();
    this.#answer = answer;
    this.#output = '\n';
    this.#left--;
    this.#child.stdin.write(`${line}${marker(++this.#count)}\n`);
    return answer.promise;
  }

  #start(): void {
    const words = this.#netns === undefined ? [] : ['nsenter', `--net=${this.#netns}`];
    const [file = 'nft', ...rest] = [...words, 'nft', '-i'];
    // It writes a history file into the home directory.
    const child = spawn(file, rest, { env: { PATH: searchPath, HOME: this.#folder } });
    this.#child = child;
    this.#left = mostTransactions;
    child.stdout.resume();
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (this.#child === child) this.#receive(text);
    });
    child.stdin.on('error', () => undefined);
    for (const event of ['error', 'close'])
      child.once(event, () => {
        if (this.#child === child) this.#end();
      });
    // It must not keep an otherwise idle process alive.
    child.unref();
    for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
  }

  #receive(text: string): void {
    this.#output += text;
    const reply = outputBefore(this.#output, marker(this.#count));
    if (reply === undefined) return;
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.resolve(reply);
  }

  #end(): void {
    const [child, answer] = [this.#child, this.#answer];
    this.#child = undefined;
    this.#answer = undefined;
    child?.stdin.end();
    answer?.reject(new ToolError('nft', 'the process has exited'));
  }
}
