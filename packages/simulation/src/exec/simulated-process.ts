import type { Clock } from '@coracle/base';
import type { CommandStreams } from '@coracle/kubelet';
import type { ContainerFiles } from '../files/container-files.js';

/** A process in a simulated container. */
export interface SimulatedProcess {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly streams: Pick<CommandStreams, 'stdin' | 'stdout' | 'stderr' | 'signal'>;
  readonly clock: Clock;
  readonly files: ContainerFiles;
  /** The process has a terminal: shells print a prompt. */
  readonly interactive?: boolean;
}
