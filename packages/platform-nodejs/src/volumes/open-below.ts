import { constants, type FileHandle, open, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Opens without reading: for any kind of file, without following a link at the end. */
const openPath = 0o10000000;

/** A path that leads out of the folder that it should be below. */
export class LeadsOut extends Error {
  constructor(path: string) {
    super(`${JSON.stringify(path)} leads out of its folder`);
  }
}

/**
 * The file at the end of a path below a folder that containers may write to. Links within the folder are followed; then
 * every step is opened without following any, so that a container which replaces a folder by a link meanwhile gains
 * nothing.
 */
export async function openBelow(folder: string, path: string): Promise<FileHandle> {
  const root = await realpath(folder);
  const below = relative(root, await realpath(join(root, path)));
  if (below === '..' || below.startsWith('../')) throw new LeadsOut(path);
  let handle = await open(root, openPath);
  for (const part of below.split('/').filter((one) => one !== '')) {
    const parent = handle;
    handle = await open(`/proc/self/fd/${parent.fd}/${part}`, openPath | constants.O_NOFOLLOW);
    await parent.close();
    if (!(await handle.stat()).isSymbolicLink()) continue;
    await handle.close();
    throw new LeadsOut(path);
  }
  return handle;
}
