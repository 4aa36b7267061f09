import { internalError, type Status, StatusError } from '@coracle/apimachinery';
import { isRecord, messageOf, Pipe } from '@coracle/base';
import type { CommandStreams, TerminalSize } from './streaming-runtime.js';

/** Runs the command that a client has requested; returns its exit code. */
export type RunCommand = (streams: CommandStreams) => Promise<number>;

/** The output to the client, in its protocol. */
export interface CommandWire {
  stdout(chunk: Uint8Array): void;
  stderr(chunk: Uint8Array): void;
  /** Sends the exit status, and closes. */
  finish(status: Status): void;
}

/** Maximum size of input that a command has not read. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** One command of a client. */
export class CommandSession {
  readonly #wire: CommandWire;
  readonly #stdin = new Pipe<Uint8Array>(({ length }) => length);
  readonly #sizes = new Pipe<TerminalSize>();
  readonly #gone = new AbortController();

  constructor(wire: CommandWire) {
    this.#wire = wire;
  }

  /** Resolves when the exit status has been sent to the client. */
  async run(command: RunCommand): Promise<void> {
    const status = await command({
      stdin: this.#stdin,
      sizes: this.#sizes,
      stdout: (chunk) => this.#wire.stdout(chunk),
      stderr: (chunk) => this.#wire.stderr(chunk),
      signal: this.#gone.signal,
    }).then(statusOfExit, statusOfError);
    this.endInput();
    this.#wire.finish(status);
  }

  input(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#stdin.write(chunk);
    if (this.#stdin.unread > maxUnreadBytes) this.gone(new Error('the command does not read its input'));
  }

  endInput(): void {
    this.#stdin.end();
    this.#sizes.end();
  }

  /** `{"Width":80,"Height":24}`; invalid sizes are ignored. */
  resize(text: string): void {
    const size = parseSize(text);
    if (size) this.#sizes.write(size);
  }

  gone(reason: Error = new Error('the client has gone away')): void {
    this.endInput();
    this.#gone.abort(reason);
  }
}

function parseSize(text: string): TerminalSize | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return undefined;
    const { Width: width, Height: height } = value;
    return typeof width === 'number' && typeof height === 'number' ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

const success: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 0 };

function statusOfExit(exitCode: number): Status {
  if (exitCode === 0) return success;
  return {
    ...success,
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

function statusOfError(error: unknown): Status {
  if (error instanceof StatusError) return error.status;
  const message = messageOf(error);
  return internalError(new Error(`error executing command in container: ${message}`)).status;
}

/** As container runtimes send it: a Status without its kind. */
export function encodeStatus({ kind: _kind, apiVersion: _version, code, ...rest }: Status): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ ...rest, ...(code !== 0 && { code }) }));
}

/** The exit status before the fourth version of the protocol: empty on success. */
export function encodeMessage({ status, message = '' }: Status): Uint8Array {
  return new TextEncoder().encode(status === 'Success' ? '' : message);
}
