import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * Growth of the heap in percent of its live size before a collection. V8's default is up to 300: 100 saves a fifth of
 * the memory under load and costs a few percent of the time.
 */
export const usualGrowth = 100;
/** A large heap grows by less: that costs deletes a fifth of their time, and saves memory where there is little else to save. */
const largeGrowth = 50;
const largeHeap = 160 * 1024 * 1024;
const smallHeap = 110 * 1024 * 1024;

/** Called before other code is loaded: V8 rejects cached code that was compiled under other flags. */
export function limitHeapGrowth(percent: number = usualGrowth): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/** Sets the growth for the present size of the heap, and returns it. `percent` is the growth that is set now. */
export function adjustHeapGrowth(percent: number): number {
  const next = growthOf(getHeapStatistics().total_heap_size, percent);
  if (next !== percent) limitHeapGrowth(next);
  return next;
}

/** Allowed growth of a heap of `size` bytes, in per cent. Unchanged between the two sizes. */
export function growthOf(size: number, percent: number): number {
  if (size >= largeHeap) return largeGrowth;
  return size < smallHeap ? usualGrowth : percent;
}
