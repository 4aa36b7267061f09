import type { Clock } from '@coracle/base';
import { concatBytes } from '@coracle/base';
import type { ReadLogEnd } from '../volumes/termination-message.js';
import type { LogSource } from './log-source.js';
import { readLog } from './read-log.js';

/** Reads the last lines of logs, up to a maximum number of bytes. */
export function logEnds(logs: LogSource, clock: Clock): ReadLogEnd {
  return async (container, { lines, bytes }) => {
    const file = await logs.open(container);
    if (!file) return '';
    const pieces: Uint8Array[] = [];
    const options = { follow: false, timestamps: false, since: undefined, limitBytes: undefined, stream: undefined };
    const isRunning = async () => false;
    const { signal } = new AbortController();
    for await (const piece of readLog(file, { ...options, tailLines: lines, clock, signal, isRunning }))
      pieces.push(piece);
    return new TextDecoder().decode(concatBytes(pieces).slice(-bytes));
  };
}
