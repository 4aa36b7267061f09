import { readFile } from 'node:fs/promises';

/** Throws if this machine swaps: memory limits do not apply to swapped memory. */
export async function refuseSwap(file = '/proc/swaps'): Promise<void> {
  const [, ...devices] = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  // Compressed memory does not count as swap.
  if (devices.every((line) => line.startsWith('/dev/zram'))) return;
  throw new Error('running with swap on is not supported, please disable swap or set failSwapOn to false');
}
