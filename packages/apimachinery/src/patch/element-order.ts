/** The identity of a list item: the merge key, or the value itself where there is none. */
export type Identify = (item: unknown) => unknown;

export function identifyBy(mergeKey: string | undefined): Identify {
  if (mergeKey === undefined) return (item) => item;
  return (item) => (item as Record<string, unknown>)[mergeKey];
}

/**
 * Brings the items of a merged list into order: those named by `setElementOrder` in that order, the others in the order
 * that they have in `live`, and the two interleaved so that an item of the live list keeps its place before the first
 * item that followed it there.
 *
 * With live `a b c d` and wanted `d b`, the result is `a c d b`.
 */
export function orderElements(
  items: readonly unknown[],
  order: {
    readonly setElementOrder: readonly unknown[];
    readonly live: readonly unknown[];
    readonly identify: Identify;
  },
): unknown[] {
  const { identify } = order;
  const targetPositions = positions(order.setElementOrder, identify);
  const live = positions(order.live, identify);
  const named = sortByPosition(
    items.filter((item) => targetPositions.has(identify(item))),
    targetPositions,
    identify,
  );
  const others = sortByPosition(
    items.filter((item) => !targetPositions.has(identify(item))),
    live,
    identify,
  );
  return interleave(others, named, (item) => live.get(identify(item)));
}

function positions(list: readonly unknown[], identify: Identify): Map<unknown, number> {
  const found = new Map<unknown, number>();
  list.forEach((item, index) => {
    const id = identify(item);
    if (!found.has(id)) found.set(id, index);
  });
  return found;
}

/** Items without a position go first, in the order that they have. */
function sortByPosition(items: unknown[], places: ReadonlyMap<unknown, number>, identify: Identify): unknown[] {
  return items.sort((a, b) => (places.get(identify(a)) ?? -1) - (places.get(identify(b)) ?? -1));
}

function interleave(
  left: readonly unknown[],
  right: readonly unknown[],
  placeOf: (item: unknown) => number | undefined,
): unknown[] {
  const merged: unknown[] = [];
  let next = 0;
  for (const item of right) {
    const place = placeOf(item);
    while (next < left.length && place !== undefined && (placeOf(left[next]) ?? Number.POSITIVE_INFINITY) < place)
      merged.push(left[next++]);
    merged.push(item);
  }
  return merged.concat(left.slice(next));
}
