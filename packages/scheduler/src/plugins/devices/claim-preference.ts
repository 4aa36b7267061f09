import type { resourcev1 } from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';

/** Maximum number of alternatives of a request. */
const mostAlternatives = 8;

/** Whether the claim has requests with alternatives. */
export function hasAlternatives({ spec }: resourcev1.ResourceClaim): boolean {
  return spec.devices?.requests?.some(({ firstAvailable = [] }) => firstAvailable.length > 0) === true;
}

/** The score of the allocation: the first alternative counts 8, the second 7, and so on. */
export function preferenceScore(
  claims: readonly resourcev1.ResourceClaim[],
  allocations: ReadonlyMap<ObjectKey, resourcev1.AllocationResult>,
): number {
  let score = 0;
  for (const claim of claims) {
    const requests = new Set(allocations.get(keyOf(claim))?.devices?.results?.map(({ request }) => request));
    for (const { name, firstAvailable = [] } of claim.spec.devices?.requests ?? [])
      for (const [index, alternative] of firstAvailable.entries())
        if (requests.has(`${name}/${alternative.name}`)) score += mostAlternatives - index;
  }
  return score;
}
