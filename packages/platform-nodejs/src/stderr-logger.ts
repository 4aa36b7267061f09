import { writeJson } from '@coracle/apimachinery';
import type { LogFields, Logger } from '@coracle/base';

export type LogLevel = 'error' | 'info' | 'debug';

const rank: Readonly<Record<LogLevel, number>> = { error: 0, info: 1, debug: 2 };

/**
 * One line a message on standard error: level, time, message, then `key="value"` pairs, as the Kubernetes components
 * write.
 */
export function createStderrLogger(options: { readonly level: LogLevel; readonly fields?: LogFields }): Logger {
  const write = (level: LogLevel, message: string, fields: LogFields = {}) => {
    if (rank[level] > rank[options.level]) return;
    const pairs = Object.entries({ ...options.fields, ...fields }).map(([key, value]) => ` ${key}=${format(value)}`);
    process.stderr.write(`${level[0]?.toUpperCase()} ${new Date().toISOString()} ${message}${pairs.join('')}\n`);
  };
  return {
    error: (message, fields) => write('error', message, fields),
    info: (message, fields) => write('info', message, fields),
    debug: (message, fields) => write('debug', message, fields),
    with: (fields) => createStderrLogger({ ...options, fields: { ...options.fields, ...fields } }),
  };
}

/** Maximum size of buffered messages when their reader is slow. */
const mostUnsentBytes = 1024 * 1024;

/** Fails if messages to standard error are lost, or accumulate because they are not read. */
export function checkStderr(stderr: Pick<NodeJS.WriteStream, 'writable' | 'writableLength'> = process.stderr): void {
  if (!stderr.writable) throw new Error('standard error is closed');
  if (stderr.writableLength > mostUnsentBytes) throw new Error('standard error is not read');
}

function format(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.stack ?? value.message);
  return typeof value === 'string' ? writeJson(value) : (writeJson(value) ?? 'undefined');
}
