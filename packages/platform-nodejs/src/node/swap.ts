import { readFile } from 'node:fs/promises';

/** Throws if this machine swaps: a container that does is not within its memory limit. */
export async function refuseSwap(file = '/proc/swaps'): Promise<void> {
  const [, ...devices] = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  // Compressed memory is not a disk.
  if (devices.every((line) => line.startsWith('/dev/zram'))) return;
  throw new Error('running with swap on is not supported, please disable swap or set failSwapOn to false');
}
