import { randomInt } from 'node:crypto';
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { VolumeFiles } from '@coracle/kubelet';

/** The link to the current files. */
const dataLink = '..data';
const nextLink = '..data_tmp';

interface FileContent {
  readonly bytes: Uint8Array;
  readonly mode: number;
  readonly owner: number | undefined;
}

type Payload = ReadonlyMap<string, FileContent>;

export interface AtomicWriteOptions {
  /** Called when the files are written and before they become visible. */
  readonly beforeSwitch?: () => Promise<void>;
  readonly now?: () => Date;
}

/**
 * Makes a directory have exactly these files, atomically. The files are in a separate directory, the target of the link
 * `..data`; users see links through it. One rename replaces all files.
 */
export async function writeAtomically(
  directory: string,
  files: VolumeFiles,
  { beforeSwitch, now = () => new Date() }: AtomicWriteOptions = {},
): Promise<void> {
  const payload = await read(files);
  const current = await readlink(join(directory, dataLink)).catch(absent);
  if (current !== undefined && (await holds(join(directory, current), payload))) {
    await linkAll(directory, payload);
    return;
  }
  const fresh = await newFolder(directory, now());
  await writeAll(join(directory, fresh), payload);
  await beforeSwitch?.();
  await rm(join(directory, nextLink), { force: true });
  await symlink(fresh, join(directory, nextLink));
  await rename(join(directory, nextLink), join(directory, dataLink));
  await linkAll(directory, payload);
  await removeStale(directory, { payload, keep: fresh });
}

async function read(files: VolumeFiles): Promise<Payload> {
  const payload = new Map<string, FileContent>();
  for (const [path, { mode, owner, content }] of files) {
    checkPath(path);
    payload.set(path, { bytes: await content(), mode, owner });
  }
  return payload;
}

const longestPath = 4096;
const longestName = 255;

function checkPath(path: string): void {
  const parts = path.split('/');
  if (path === '' || path.startsWith('/')) throw new Error(`invalid path: must be relative path: ${path}`);
  if (path.length > longestPath) throw new Error('invalid path: must be less than or equal to 4096 characters');
  if (parts.includes('..')) throw new Error(`invalid path: must not contain '..': ${path}`);
  if (parts[0]?.startsWith('..')) throw new Error(`invalid path: must not start with '..': ${path}`);
  if (parts.some((part) => Buffer.byteLength(part) > longestName))
    throw new Error('invalid path: filename must be less than or equal to 255 characters');
}

/** Whether the directory has exactly these files, with these modes. */
async function holds(folder: string, payload: Payload): Promise<boolean> {
  const present = await filesBelow(folder).catch(absent);
  if (!present || present.length !== payload.size) return false;
  for (const path of present) {
    const content = payload.get(path);
    if (!content) return false;
    const full = join(folder, path);
    const [bytes, { uid, mode }] = await Promise.all([readFile(full), stat(full)]);
    // A group may have more permissions than the mode.
    const differs = (mode & content.mode) !== content.mode || (content.owner !== undefined && uid !== content.owner);
    if (differs || !bytes.equals(content.bytes)) return false;
  }
  return true;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** `..2026_11_15_20_13_23.123456789`. */
async function newFolder(directory: string, now: Date): Promise<string> {
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-T:]/g, '_');
  const name = `..${stamp}.${randomInt(1_000_000_000, 4_294_967_295)}`;
  const path = join(directory, name);
  await mkdir(path);
  await chmod(path, 0o755);
  return name;
}

async function writeAll(folder: string, payload: Payload): Promise<void> {
  for (const [path, { bytes, mode, owner }] of payload) {
    const full = join(folder, path);
    await makeParents(folder, path);
    await writeFile(full, bytes);
    await chmod(full, mode);
    if (owner !== undefined) await chown(full, owner, -1);
  }
}

/** Other users read through these directories, whatever the umask of the process is. */
async function makeParents(folder: string, path: string): Promise<void> {
  let parent = folder;
  for (const name of path.split('/').slice(0, -1)) {
    parent = join(parent, name);
    if ((await mkdir(parent, { recursive: true })) !== undefined) await chmod(parent, 0o755);
  }
}

/** The first part of each path leads through `..data`. */
async function linkAll(directory: string, payload: Payload): Promise<void> {
  for (const name of topNames(payload)) {
    const link = join(directory, name);
    if ((await readlink(link).catch(absent)) === undefined) await symlink(join(dataLink, name), link);
  }
}

function topNames(payload: Payload): ReadonlySet<string> {
  return new Set([...payload.keys()].map((path) => path.split('/')[0] ?? ''));
}

async function removeStale(
  directory: string,
  { payload, keep }: { readonly payload: Payload; readonly keep: string },
): Promise<void> {
  const names = topNames(payload);
  for (const name of await readdir(directory)) {
    if (name === dataLink || name === keep || names.has(name)) continue;
    if (name.startsWith('..')) await rm(join(directory, name), { recursive: true, force: true });
    else if ((await readlink(join(directory, name)).catch(absent))?.startsWith(`${dataLink}/`))
      await unlink(join(directory, name));
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'EINVAL') return undefined;
  throw error;
}
