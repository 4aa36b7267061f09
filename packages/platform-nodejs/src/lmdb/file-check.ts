import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '@coracle/store';

/** Offsets in the two pages at the head of the file, of which the one with the larger transaction counts. */
const offset = { magic: 24, pageSize: 48, freeRoot: 0x58, mainRoot: 0x88, lastPage: 0x90, transaction: 0x98 };
const headLength = 0xa0;
const magic = 0xbeefc0de;
const noPage = 0xffff_ffff_ffff_ffffn;
/**
 * Maximum number of pages at the end that were allocated and freed in one transaction: they are counted but never
 * written.
 */
const unwrittenPages = 1024;

interface Head {
  readonly pageSize: number;
  readonly roots: readonly bigint[];
  readonly lastPage: bigint;
  readonly transaction: bigint;
}

/**
 * Fails with `Corrupt` if the file is not a database, or lost its end. LMDB trusts the mapped file: reading such a file
 * would kill the process.
 */
export function checkDatabaseFile(path: string): void {
  const file = openIfThere(join(path, 'data.mdb'));
  if (file === undefined) return;
  try {
    const { size } = fstatSync(file);
    if (size > 0) checkHeads(file, { size, path });
  } finally {
    closeSync(file);
  }
}

function checkHeads(file: number, { size, path }: { size: number; path: string }): void {
  const first = readHead(file, 0);
  const second = first && readHead(file, first.pageSize);
  if (!first || !second) throw damaged(path, 'it is not a database');
  const { pageSize, roots, lastPage } = first.transaction > second.transaction ? first : second;
  const pages = BigInt(Math.floor(size / pageSize));
  const cut = roots.some((root) => root !== noPage && root >= pages) || lastPage - BigInt(unwrittenPages) >= pages;
  if (cut) throw damaged(path, 'its end is missing');
}

function readHead(file: number, position: number): Head | undefined {
  const bytes = new DataView(new ArrayBuffer(headLength));
  if (readSync(file, bytes, 0, headLength, position) < headLength) return undefined;
  if (bytes.getUint32(offset.magic, true) !== magic) return undefined;
  return {
    pageSize: bytes.getUint32(offset.pageSize, true),
    roots: [bytes.getBigUint64(offset.freeRoot, true), bytes.getBigUint64(offset.mainRoot, true)],
    lastPage: bytes.getBigUint64(offset.lastPage, true),
    transaction: bytes.getBigUint64(offset.transaction, true),
  };
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export function damaged(path: string, reason: string, cause?: unknown): StoreError {
  return new StoreError(
    'Corrupt',
    `the database in ${path} cannot be opened: ${reason}. Restore the directory from a backup, or move it away to start empty.`,
    { cause },
  );
}
