/**
 * Deals a hand of different queues to a flow. Two flows rarely have all queues in common, so a flow that fills its
 * queues rarely blocks another flow.
 */
export function dealHand(flow: string, deckSize: number, handSize: number): readonly number[] {
  let entropy = hash64(flow);
  const dealt: number[] = [];
  for (let i = 0; i < handSize; i++) {
    const left = BigInt(deckSize - i);
    insertFree(dealt, Number(entropy % left));
    entropy /= left;
  }
  return dealt;
}

/** Adds the `position`-th card that has not been dealt; `dealt` stays sorted. */
function insertFree(dealt: number[], position: number): void {
  let card = position;
  let at = 0;
  while (at < dealt.length && (dealt[at] as number) <= card) {
    card++;
    at++;
  }
  dealt.splice(at, 0, card);
}

const offset = 0xcbf29ce484222325n;
const prime = 0x100000001b3n;

/** FNV-1a with an additional mixing step: names that differ in their last letter must get unrelated hashes. */
function hash64(text: string): bigint {
  let hash = offset;
  for (let i = 0; i < text.length; i++) hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(i))) * prime);
  hash ^= hash >> 33n;
  hash = BigInt.asUintN(64, hash * 0xff51afd7ed558ccdn);
  hash ^= hash >> 33n;
  hash = BigInt.asUintN(64, hash * 0xc4ceb9fe1a85ec53n);
  return hash ^ (hash >> 33n);
}
