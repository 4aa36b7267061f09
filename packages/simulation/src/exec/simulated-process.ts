import type { Clock, Random } from '@coracle/base';
import type { CommandStreams } from '@coracle/kubelet';
import type { ContainerFiles } from '../files/container-files.js';

/** A process in a simulated container. */
export interface SimulatedProcess {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly streams: Pick<CommandStreams, 'stdin' | 'stdout' | 'stderr' | 'signal'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly files: ContainerFiles;
  /** Sends a request to the network of the cluster, from the pod; absent where there is none. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  readonly user: ProcessUser;
  /** The process has a terminal: shells print a prompt. */
  readonly interactive?: boolean;
}

/** Where a command of a script runs. */
export type Around = Omit<SimulatedProcess, 'args'>;

/** The user and the groups of a process. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}
