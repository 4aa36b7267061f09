import type { Millis } from '@coracle/base';
import type { Image } from '@coracle/cri';

/** The observations of an image on the node. */
export interface ImageRecord {
  readonly image: Image;
  readonly detectedAt: Millis;
  /** When a container last had it. */
  readonly usedAt: Millis;
  /** Whether one has it now. */
  readonly isUsed: boolean;
}

export interface ImageRemovalInput {
  readonly records: readonly ImageRecord[];
  readonly now: Millis;
  readonly minimumAge: Millis;
  /** What is to be freed. */
  readonly bytes: number;
}

/** Pure: the unused images that go, in order, until enough is free: those that were used the longest time ago first. */
export function planImageRemoval({ records, now, minimumAge, bytes }: ImageRemovalInput): Image[] {
  const unused = records.filter(({ image, isUsed, detectedAt }) => {
    const isOld = now - detectedAt >= minimumAge;
    return !image.pinned && !isUsed && isOld;
  });
  unused.sort((a, b) => a.usedAt - b.usedAt || a.detectedAt - b.detectedAt);
  const removed: Image[] = [];
  let freed = 0;
  for (const { image } of unused) {
    if (freed >= bytes) break;
    removed.push(image);
    freed += image.size ?? 0;
  }
  return removed;
}

/** How full the images' file system is, in whole percent. */
export function usedPercent({
  capacity,
  available,
}: {
  readonly capacity: number;
  readonly available: number;
}): number {
  return 100 - Math.floor((Math.min(available, capacity) * 100) / capacity);
}

/** What must go until only `lowPercent` are in use. */
export function bytesToFree(
  { capacity, available }: { readonly capacity: number; readonly available: number },
  lowPercent: number,
): number {
  return Math.floor((capacity * (100 - lowPercent)) / 100) - Math.min(available, capacity);
}
