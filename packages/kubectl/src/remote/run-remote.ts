import { StatusError } from '@coracle/apimachinery';
import { attach, type CommandResult, exec, UpgradeRefused } from '@coracle/client';
import { CommandError, ExitCode } from '../command/command-error.js';
import type { Context } from '../command/context.js';
import { messageOf } from '../command/format-error.js';
import { type Fields, textAt } from '../values.js';

export interface RemoteOptions {
  readonly pod: Fields;
  readonly container: string;
  /** Absent to attach to what runs. */
  readonly command?: readonly string[];
  readonly stdin: boolean;
  readonly tty: boolean;
}

/** Runs a command in a container, or attaches to it, on our own streams. Fails with the command's exit code. */
export async function runRemote(
  context: Context,
  { pod, container, command, stdin, tty }: RemoteOptions,
): Promise<void> {
  const { host, factory } = context;
  const client = await factory.client();
  const usesTerminal = tty && stdin && host.stdin.isTerminal;
  if (tty && !host.stdin.isTerminal && stdin)
    host.stderr.write('Unable to use a TTY - input is not a terminal or the right kind of file\n');
  const raw = usesTerminal ? host.terminal?.raw() : undefined;
  const options = {
    namespace: textAt(pod, 'metadata', 'namespace'),
    pod: textAt(pod, 'metadata', 'name'),
    container,
    ...(stdin && { stdin: host.stdin.chunks() }),
    stdout: (chunk: Uint8Array) => host.stdout.write(chunk),
    stderr: (chunk: Uint8Array) => host.stderr.write(chunk),
    tty: usesTerminal,
    ...(usesTerminal && host.terminal && { sizes: host.terminal.sizes }),
    signal: host.interrupted,
  };
  let result: CommandResult;
  try {
    result = command ? await exec(client, { ...options, command }) : await attach(client, options);
  } catch (error) {
    if (host.interrupted.aborted) throw new ExitCode(130);
    throw remoteFailure(error);
  } finally {
    raw?.[Symbol.dispose]();
  }
  if (result.exitCode !== 0)
    throw new CommandError(`command terminated with exit code ${result.exitCode}`, {
      exitCode: result.exitCode,
      plain: true,
    });
}

/** Why a stream could not be opened, with kubectl's message. */
export function remoteFailure(error: unknown): unknown {
  if (error instanceof UpgradeRefused)
    return new CommandError(`unable to upgrade connection: ${messageOf(error.cause)}`);
  if (!(error instanceof StatusError)) return error;
  const wasRefused = error.status.reason === 'BadRequest' || error.status.reason === 'NotFound';
  return new CommandError(wasRefused ? `unable to upgrade connection: ${error.message}` : error.message);
}
