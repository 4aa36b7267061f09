import type { ContainerConfig } from '@coracle/cri';
import type { ContainerLog, LogLine } from './container-log.js';
import type { ContainerFiles } from './files/container-files.js';

const annotation = 'io.kubernetes.container.';
const mostMessageBytes = 4096;
const mostLogBytes = 2048;
const mostLogLines = 80;

interface EndedContainer {
  readonly config: ContainerConfig;
  readonly files: ContainerFiles | undefined;
  readonly log: ContainerLog;
}

/**
 * What a container that ends with this code says in the end: what its command wrote to its termination log, or, where
 * the pod requests that, the end of its log.
 */
export function terminationMessageOf({ config, files, log }: EndedContainer, exitCode: number): string {
  const path = config.annotations?.[`${annotation}terminationMessagePath`];
  const entry = path ? files?.at(path) : undefined;
  const content = entry?.kind === 'file' ? entry.content() : undefined;
  const message = content instanceof Uint8Array ? new TextDecoder().decode(content.slice(-mostMessageBytes)) : '';
  const fallsBack = config.annotations?.[`${annotation}terminationMessagePolicy`] === 'FallbackToLogsOnError';
  if (message !== '' || exitCode === 0 || !fallsBack) return message;
  return log.lines.slice(-mostLogLines).map(textOf).join('').slice(-mostLogBytes);
}

function textOf({ text, partial }: LogLine): string {
  return partial ? text : `${text}\n`;
}
