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
  /** Number of bytes to free. */
  readonly bytes: number;
}

/** Pure: the unused images to remove, least recently used first, until enough is free. */
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

/** Usage of the image filesystem, in whole percent. */
export function usedPercent({
  capacity,
  available,
}: {
  readonly capacity: number;
  readonly available: number;
}): number {
  return 100 - Math.floor((Math.min(available, capacity) * 100) / capacity);
}

/** Bytes to free until only `lowPercent` are used. */
export function bytesToFree(
  { capacity, available }: { readonly capacity: number; readonly available: number },
  lowPercent: number,
): number {
  return Math.floor((capacity * (100 - lowPercent)) / 100) - Math.min(available, capacity);
}
