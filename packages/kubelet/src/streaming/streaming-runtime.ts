import type { AttachRequest, ExecRequest } from '@coracle/cri';

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** Input and output of a command. */
export interface CommandStreams {
  /** Ends when the client closes its input; empty if the client sends nothing. */
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: (chunk: Uint8Array) => void;
  readonly stderr: (chunk: Uint8Array) => void;
  /** The size of the client's terminal, each time that it changes. */
  readonly sizes: AsyncIterable<TerminalSize>;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** One direction of a connection to a port. */
export interface PortSink {
  data(chunk: Uint8Array): void;
  /** Ends the data; with an error if the connection broke. */
  end(error?: Error): void;
}

/** The functions of a container runtime that a streaming server uses. */
export interface StreamingRuntime {
  /** Resolves with the exit code. Rejects if the command could not be run. */
  exec(request: ExecRequest, streams: CommandStreams): Promise<number>;
  /** Resolves when the container's own command has ended, or the client has disconnected. */
  attach(request: AttachRequest, streams: CommandStreams): Promise<void>;
  /** Connects to a port in the network of a sandbox. The client's data goes into the returned sink. */
  connectPort(target: { readonly podSandboxId: string; readonly port: number }, toClient: PortSink): Promise<PortSink>;
}
