import type { resourcev1 } from '@coracle/api';
import { keyOf, type ObjectKey } from '@coracle/apimachinery';

/** A request has at most so many alternatives. */
const mostAlternatives = 8;

/** Whether the claim can be filled in better and in worse ways. */
export function hasAlternatives({ spec }: resourcev1.ResourceClaim): boolean {
  return spec.devices?.requests?.some(({ firstAvailable = [] }) => firstAvailable.length > 0) === true;
}

/** The earlier the alternatives that the claims get, the more: each counts 8, 7, 6 and so on. */
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
