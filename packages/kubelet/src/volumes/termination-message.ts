import type { Pod } from '@coracle/api';
import { ContainerState, type ContainerStatus } from '@coracle/cri';
import { containerAnnotation } from '../runtime-labels.js';
import { terminationLogPath } from './container-filesystem.js';
import type { VolumeHost } from './volume-host.js';

const mostMessageBytes = 4096;
const mostLogBytes = 2048;
const mostLogLines = 80;

/** Reads the end of a container's log. */
export type ReadLogEnd = (
  container: ContainerStatus,
  limits: { readonly lines: number; readonly bytes: number },
) => Promise<string>;

/**
 * The termination messages of containers: the content of the termination log, or the end of their log if the pod
 * requests that.
 */
export async function terminationMessage(
  { files, root }: Pick<VolumeHost, 'files' | 'root'>,
  status: ContainerStatus,
  { pod, readLogEnd }: { readonly pod: Pod; readonly readLogEnd?: ReadLogEnd | undefined },
): Promise<string> {
  if (!files || status.state !== ContainerState.CONTAINER_EXITED) return '';
  const { name = '', attempt = 0 } = status.metadata ?? {};
  const bytes = await files.readTail(terminationLogPath(pod, name, { attempt, root }), mostMessageBytes);
  const message = new TextDecoder().decode(bytes);
  if (message !== '' || (status.exitCode ?? 0) === 0 || !readLogEnd) return message;
  if (status.annotations?.[`${containerAnnotation}terminationMessagePolicy`] !== 'FallbackToLogsOnError') return '';
  return readLogEnd(status, { lines: mostLogLines, bytes: mostLogBytes });
}
