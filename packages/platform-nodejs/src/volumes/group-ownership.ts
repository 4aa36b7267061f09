import { chmod, lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GroupOwnership } from '@coracle/kubelet';

const writable = 0o660;
const readable = 0o440;
/** Folders can be entered, and what is made in them gets their group. */
const folderBits = 0o2110;

/** Changes the group of a volume to that of a pod: what the owner may do the group may do as well. */
export async function setGroup(
  directory: string,
  { fsGroup, changePolicy }: GroupOwnership,
  readOnly = false,
): Promise<void> {
  const bits = readOnly ? readable : writable;
  if (changePolicy === 'OnRootMismatch' && (await hasGroup(directory, fsGroup, bits | folderBits))) return;
  await change(directory, fsGroup, bits);
}

async function hasGroup(path: string, gid: number, bits: number): Promise<boolean> {
  const found = await lstat(path);
  return found.gid === gid && (found.mode & bits) === bits;
}

/** What is inside first: the root reports that all is done. */
async function change(path: string, gid: number, bits: number): Promise<void> {
  const found = await lstat(path);
  if (found.isDirectory()) for (const name of await readdir(path)) await change(join(path, name), gid, bits);
  await lchown(path, found.uid, gid);
  if (found.isSymbolicLink()) return;
  await chmod(path, (found.mode & 0o7777) | bits | (found.isDirectory() ? folderBits : 0));
}
