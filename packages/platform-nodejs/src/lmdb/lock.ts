import { readFileSync } from 'node:fs';
import { StoreError } from '@coracle/store';
import type { Database } from 'lmdb';

const name = new TextEncoder().encode('lock');
/**
 * Before every key of a store, which begin with a letter. There must be no key behind them: LMDB fills pages well only
 * if appended data, such as the log, is at the very end, where the mark was up to format 2.
 */
const lockKey = Uint8Array.from([0, ...name]);
const formerLockKey = Uint8Array.from([0xff, ...name]);

interface Owner {
  readonly pid: number;
  /** Distinguishes a process from a later one with the same pid. Empty where the system does not support it. */
  readonly startTime: string;
}

/**
 * Marks the database as ours, or fails with `Closed` if a process that is alive has it.
 *
 * LMDB itself lets several processes write, but a store counts revisions in memory and must be alone. The mark is
 * written in a transaction that excludes other processes; that of a process that died does not count.
 */
export function lockDatabase(database: Database<Uint8Array, Uint8Array>, path: string): void {
  const owner = database.transactionSync(() => {
    for (const key of [lockKey, formerLockKey]) {
      const current = parseOwner(database.getBinary(key));
      if (current && isAlive(current)) return current;
    }
    database.removeSync(formerLockKey);
    const self: Owner = { pid: process.pid, startTime: startTimeOf(process.pid) };
    database.putSync(lockKey, Buffer.from(JSON.stringify(self)));
    return undefined;
  });
  if (!owner) return;
  throw new StoreError(
    'Closed',
    `the database in ${path} is in use by process ${owner.pid}. Stop that process, or choose another data directory (--data-dir).`,
  );
}

export function unlockDatabase(database: Database<Uint8Array, Uint8Array>): void {
  database.removeSync(lockKey);
}

function parseOwner(bytes: Uint8Array | undefined): Owner | undefined {
  if (!bytes) return undefined;
  const { pid, startTime } = JSON.parse(Buffer.from(bytes).toString()) as Partial<Owner>;
  return typeof pid === 'number' && typeof startTime === 'string' ? { pid, startTime } : undefined;
}

function isAlive({ pid, startTime }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return startTimeOf(pid) === startTime;
}

/** The 22nd field of the process's line in /proc; the second is a name in parentheses that may hold spaces. */
function startTimeOf(pid: number): string {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
