import { Pipe } from '@coracle/base';
import type { Client } from '../client.js';
import { exec } from './remote-command.js';
import { readTar, type TarEntry, writeTar } from './tar.js';

/** The files and the container of a copy. */
export interface CopyOptions {
  readonly namespace: string;
  readonly pod: string;
  readonly container?: string;
  /** Path in the container: a file or directory to read, or a directory to write to. The container needs `tar`. */
  readonly path: string;
  readonly signal?: AbortSignal;
}

/** Writes entries into a folder of a container. */
export async function copyToPod(
  client: Client,
  options: CopyOptions & { readonly entries: Iterable<TarEntry> },
): Promise<void> {
  const { path, entries, ...where } = options;
  const complaint = new Complaint();
  const command = ['tar', '-xmf', '-', '-C', path];
  const { exitCode } = await exec(client, {
    ...where,
    command,
    stdin: asyncOf(writeTar(entries)),
    stderr: complaint.hear,
    stdout: () => {},
  });
  complaint.throwUnless(exitCode === 0, 'tar');
}

/** The entries of a file or folder of a container. Names begin with the last part of the path. */
export async function* copyFromPod(client: Client, options: CopyOptions): AsyncIterable<TarEntry> {
  const { path, ...where } = options;
  const trimmed = path.replace(/\/+$/, '') || '/';
  const slash = trimmed.lastIndexOf('/');
  const [folder, name] = slash < 0 ? ['.', trimmed] : [trimmed.slice(0, slash) || '/', trimmed.slice(slash + 1) || '.'];
  const complaint = new Complaint();
  const output = new Pipe<Uint8Array>();
  const command = ['tar', 'cf', '-', '-C', folder, name];
  const running = exec(client, {
    ...where,
    command,
    stdout: (chunk) => output.write(chunk.slice()),
    stderr: complaint.hear,
  }).then(
    ({ exitCode }) => output.end(complaint.unless(exitCode === 0, 'tar')),
    (error: unknown) => output.end(error),
  );
  yield* readTar(output);
  await running;
  output.throwIfFailed();
}

/** What a command wrote to standard error, for the failure that it explains. */
class Complaint {
  #text = '';

  readonly hear = (chunk: Uint8Array): void => {
    this.#text += new TextDecoder().decode(chunk);
  };

  unless(ok: boolean, command: string): Error | undefined {
    return ok ? undefined : new Error(`${command} failed in the container: ${this.#text.trim()}`);
  }

  throwUnless(ok: boolean, command: string): void {
    const error = this.unless(ok, command);
    if (error) throw error;
  }
}

async function* asyncOf<T>(items: Iterable<T>): AsyncIterable<T> {
  yield* items;
}
