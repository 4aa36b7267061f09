import type { ApiResponse, Channel } from '@coracle/apimachinery';
import type { Clock, Random } from '@coracle/base';
import type { Connection, Transport } from '@coracle/client';

/** Standard output or standard error. */
export interface Output {
  write(text: string | Uint8Array): void;
  /** Colours and progress are for terminals alone. */
  readonly isTerminal: boolean;
}

/** Standard input. */
export interface Input {
  chunks(): AsyncIterable<Uint8Array>;
  readonly isTerminal: boolean;
}

export interface FileStatus {
  readonly kind: 'file' | 'directory' | 'other';
  readonly mode: number;
  readonly modifiedAt: number;
}

/** A file error with Go's message: `open x: no such file or directory`. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly reason: string;
  readonly operation: string;
  readonly path: string;

  constructor(operation: string, path: string, reason: string) {
    super(`${operation} ${path}: ${reason}`);
    this.operation = operation;
    this.path = path;
    this.reason = reason;
  }

  get isMissing(): boolean {
    return this.reason === 'no such file or directory';
  }
}

/** The files of the machine. Failures are `FileError`s. */
export interface Files {
  readonly workingDirectory: string;
  readonly homeDirectory: string;
  readonly temporaryDirectory: string;
  read(path: string): Promise<Uint8Array>;
  /** Atomic. */
  write(path: string, content: Uint8Array | string, mode?: number): Promise<void>;
  stat(path: string): Promise<FileStatus>;
  /** Names in a directory, sorted. */
  list(path: string): Promise<readonly string[]>;
  makeDirectory(path: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** The path with all symbolic links followed. */
  resolveLinks(path: string): Promise<string>;
}

export interface ProcessResult {
  readonly exitCode: number;
  readonly stdout: string;
}

/** Programs of the machine: editors, diff, plugins. */
export interface Processes {
  /** Runs a program on our own streams, or with `capture` collects its standard output. */
  run(
    command: readonly string[],
    options: {
      readonly env?: Readonly<Record<string, string>>;
      readonly capture?: boolean;
      /** Its standard input, instead of that of this process. */
      readonly input?: string;
    },
  ): Promise<ProcessResult>;
  /** Whether the file is a program that may be run. */
  isExecutable(path: string): Promise<boolean>;
}

/** A connection that a listener accepted. */
export interface LocalConnection {
  chunks(): AsyncIterable<Uint8Array>;
  write(chunk: Uint8Array): void;
  end(): void;
  destroy(): void;
}

export interface LocalHttpRequest {
  readonly method: string;
  readonly url: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Aborted when the client has disconnected. */
  readonly signal?: AbortSignal;
}

export interface LocalHttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** A request to switch from HTTP to a stream. */
export interface LocalUpgrade extends Omit<LocalHttpRequest, 'body' | 'signal'> {
  readonly protocols: readonly string[];
  /** WebSocket unless stated. */
  readonly over?: 'SPDY/3.1';
}

/** The local network: listeners, and documents on other servers. */
export interface Network {
  listen(
    address: { readonly host: string; readonly port: number },
    accept: (connection: LocalConnection) => void,
  ): Promise<{ readonly port: number } & Disposable>;
  serveHttp(
    address: { readonly host: string; readonly port: number } | { readonly socket: string },
    handle: (request: LocalHttpRequest) => Promise<LocalHttpResponse>,
    /** Opens the target of a stream, or returns the error response. Without it no request is upgraded. */
    connect?: (upgrade: LocalUpgrade) => Promise<Channel | ApiResponse>,
  ): Promise<{ readonly address: string } & Disposable>;
  /** The document at a URL; a failure says `unable to read URL …`. */
  fetch(url: string): Promise<{ readonly status: number; readonly statusText: string; readonly body: Uint8Array }>;
}

/** The terminal at standard input. */
export interface Terminal {
  readonly sizes: AsyncIterable<{ readonly width: number; readonly height: number }>;
  /** Reports every key as it is typed, until disposed. */
  raw(): Disposable;
}

export interface TransportRequest {
  readonly connection: Connection;
  readonly timeoutMs?: number;
  readonly verbosity: number;
}

/**
 * The interface of kubectl to its machine. In a browser there are no files, processes, listeners and terminals:
 * commands that need them fail with a message.
 */
export interface Host {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted when the user interrupts the command. */
  readonly interrupted: AbortSignal;
  readonly platform: string;
  readonly processId: number;
  connect(request: TransportRequest): Promise<Transport & Partial<Disposable>>;
  /** The connection of a process in a pod, where there is one. */
  inCluster?(): Promise<Connection | undefined>;
  /** Starts a profile; the returned function ends it and returns its text. */
  profile?(kind: 'cpu' | 'heap'): Promise<() => Promise<string>>;
  readonly files?: Files;
  readonly processes?: Processes;
  readonly network?: Network;
  readonly terminal?: Terminal;
}
