/**
 * Assigns numbers from 0 without gaps, with minimal changes: what stays keeps its number, what is new takes a free one,
 * and gaps are filled from the end. The proxy picks a random number and looks it up, so an added or removed endpoint
 * changes two elements at most, however many others there are.
 */
export function assignSlots(previous: readonly string[], desired: readonly string[]): string[] {
  const left = new Set(desired);
  const slots: (string | undefined)[] = previous.map((one) => (left.delete(one) ? one : undefined));
  const fresh = [...left];
  for (let i = 0; i < slots.length && fresh.length > 0; i++) slots[i] ??= fresh.shift();
  slots.push(...fresh);
  for (let end = slots.length - 1, gap = 0; ; ) {
    while (end >= 0 && slots[end] === undefined) end--;
    while (gap < end && slots[gap] !== undefined) gap++;
    if (gap >= end) return slots.slice(0, end + 1) as string[];
    slots[gap] = slots[end];
    slots[end] = undefined;
  }
}
