import { keyOf } from '@coracle/apimachinery';
import { type AllocationInput, type ClaimRequest, candidatesOf, type RequestChoice } from './claim-requests.js';
import type { UnusablePool } from './device-pools.js';

/** Most devices that a claim can have. */
const mostDevices = 32;

const words: Readonly<Record<UnusablePool['state'], string>> = {
  incomplete: 'is currently being updated',
  invalid: 'is currently invalid',
};

/** Why the requests cannot be handled on a node, whatever its devices are used for. It ends the attempt for the pod. */
export function requestProblem(input: AllocationInput): string | undefined {
  const { claims, requests, available } = input;
  if (!requests.hasAll && requests.mostDevices <= mostDevices) return undefined;
  const [unusable] = available.unusable;
  if (requests.hasAll && unusable) return requestForAll(input, unusable);
  for (const claim of claims) {
    const own = requests.all.filter((request) => request.claim === claim.metadata.uid);
    const least = own.reduce((sum, request) => sum + leastFor(input, request), 0);
    if (least > mostDevices)
      return `claim ${keyOf(claim)}: number of requested devices ${least} exceeds the claim limit of ${mostDevices}`;
  }
  return undefined;
}

function requestForAll({ claims, requests }: AllocationInput, { pool, state }: UnusablePool): string | undefined {
  for (const { claim: uid, choices } of requests.all) {
    const choice = choices.find(({ mode }) => mode === 'All');
    const claim = claims.find(({ metadata }) => metadata.uid === uid);
    if (!choice || !claim) continue;
    // Of an alternative its own name.
    const name = choice.name.split('/').at(-1);
    return `claim ${keyOf(claim)}, request ${name}: asks for all devices, but resource pool ${pool} ${words[state]}`;
  }
  return undefined;
}

/** How many devices the request needs at least. */
function leastFor(input: AllocationInput, { choices }: ClaimRequest): number {
  const countOf = (choice: RequestChoice) =>
    choice.mode === 'All' ? candidatesOf(input, choice).devices.length : choice.count;
  return choices.reduce((least, choice) => Math.min(least, countOf(choice)), Number.POSITIVE_INFINITY);
}
