import type { Pod } from '@coracle/api';
import type { Clock, Millis } from '@coracle/base';
import type { PodHandler } from './network/pod-handler.js';

/** The environment of a function that implements an image. */
export interface ContainerContext {
  /** As in the API when the container starts. */
  readonly pod: Pod;
  /** The name of the container. */
  readonly container: string;
  readonly env: Readonly<Record<string, string>>;
  /** The command and the arguments in the pod's spec, if there are any. */
  readonly args: readonly string[];
  /** Input from `kubectl attach -i` and `kubectl run -i`; ends at once if the pod does not request `stdin`. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Writes to the log. A line ends with `\n`. */
  stdout(text: string): void;
  stderr(text: string): void;
  /** Writes a line to the log. */
  log(line: string): void;
  /**
   * Aborts when the container is stopped; the grace period of the pod remains. A function that does not use it ends at
   * once, like a program that does not handle SIGTERM.
   */
  readonly signal: AbortSignal;
  /** The cluster's, which may be virtual. */
  readonly clock: Clock;
  /** Waits by the cluster's clock. Rejects when the container is stopped. */
  sleep(delayMs: Millis): Promise<void>;
  /** Answers HTTP at the pod's address and this port, while the container runs. */
  serve(port: number, handler: PodHandler): void;
}

/** Implements the containers of an image. Returns the exit code, 0 if none; 1 if it throws. */
export type ImageProgram = (context: ContainerContext) => Promise<number | void> | number | void;

/** A function that runs as a container's command. */
export interface RunningProgram {
  /** The exit code, once it has ended. */
  readonly ended: Promise<number>;
  /** Stops it. False if it ignores the signal, and is to be killed at once. */
  terminate(): boolean;
}
