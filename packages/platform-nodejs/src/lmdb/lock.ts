import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { deepEqual, disposable } from '@coracle/base';
import { StoreError } from '@coracle/store';
import type { Database } from 'lmdb';
import { findOwner, isOwnerSocketOpen, openOwnerSocket, ownerSocketsIn, removeOwnerSocket } from './owner-socket.js';

const name = new TextEncoder().encode('lock');
/**
 * Sorted before every key of a store, which begin with a letter. There must be no key after those: LMDB fills pages
 * well only if appended data, such as the log, is at the very end, where the mark was up to format 2.
 */
const lockKey = Uint8Array.from([0, ...name]);
const formerLockKey = Uint8Array.from([0xff, ...name]);

interface Owner {
  readonly pid: number;
  /** Distinguishes a process from a later one with the same pid. Empty where the system does not support it. */
  readonly startTime: string;
  /** The file of its socket. Absent where there can be none, and in marks of earlier versions. */
  readonly socket?: string;
}

/**
 * Fails with `Closed` if a process that is alive has the database, as far as that is known before it is opened. In
 * another container that process may have our pid, by which LMDB tells its users apart.
 */
export async function refuseOwned(path: string): Promise<void> {
  const pid = await findOwner(path);
  if (pid !== undefined) throw inUse(path, pid);
}

/**
 * Marks the database as ours until it is disposed, or fails with `Closed` if a process that is alive has it.
 *
 * LMDB itself lets several processes write, but a store counts revisions in memory and must be alone. A mark is replaced
 * in a transaction that excludes other processes; that of a process that died does not count. Its socket shows whether
 * it did: its pid has no meaning in another container.
 */
export async function lockDatabase(database: Database<Uint8Array, Uint8Array>, path: string): Promise<Disposable> {
  const socket = await openOwnerSocket(path);
  try {
    const self: Owner = {
      pid: process.pid,
      startTime: startTimeOf(process.pid),
      ...(socket && { socket: socket.name }),
    };
    for (let owners = ownersIn(database); ; owners = ownersIn(database)) {
      for (const owner of owners) if (await isAlive(owner, path)) throw inUse(path, owner.pid);
      if (!replaceMark(database, owners, self)) continue;
      for (const name of ownerSocketsIn(path)) if (name !== socket?.name) removeOwnerSocket(path, name);
      break;
    }
  } catch (error) {
    socket?.[Symbol.dispose]();
    throw error;
  }
  return disposable(() => {
    database.removeSync(lockKey);
    socket?.[Symbol.dispose]();
  });
}

/** False if the database has been marked since these owners were read. */
function replaceMark(database: Database<Uint8Array, Uint8Array>, owners: readonly Owner[], self: Owner): boolean {
  return database.transactionSync(() => {
    if (!deepEqual(ownersIn(database), owners)) return false;
    database.removeSync(formerLockKey);
    database.putSync(lockKey, Buffer.from(JSON.stringify(self)));
    return true;
  });
}

function ownersIn(database: Database<Uint8Array, Uint8Array>): readonly Owner[] {
  return [lockKey, formerLockKey].flatMap((key) => parseOwner(database.getBinary(key)) ?? []);
}

function inUse(path: string, pid: number): StoreError {
  return new StoreError(
    'Closed',
    `the database in ${path} is in use by process ${pid}. Stop that process, or choose another data directory (--data-dir).`,
  );
}

function parseOwner(bytes: Uint8Array | undefined): Owner | undefined {
  if (!bytes) return undefined;
  const { pid, startTime, socket } = JSON.parse(Buffer.from(bytes).toString()) as Partial<Owner>;
  if (typeof pid !== 'number' || typeof startTime !== 'string') return undefined;
  return { pid, startTime, ...(typeof socket === 'string' && { socket: basename(socket) }) };
}

async function isAlive(owner: Owner, path: string): Promise<boolean> {
  return owner.socket === undefined ? isRunning(owner) : await isOwnerSocketOpen(path, owner.socket);
}

function isRunning({ pid, startTime }: Owner): boolean {
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
