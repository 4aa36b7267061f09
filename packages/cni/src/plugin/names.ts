import { parseIp } from '@coracle/apimachinery';

/** Names an attachment in the lease store. Neither part can have a colon. */
export function ownerOf(containerId: string, ifName: string): string {
  return `${containerId}:${ifName}`;
}

/** The node's end of a pod's link: the same for the same attachment, and at most 15 letters. */
export function hostInterfaceOf(owner: string): string {
  return `veth${hex(fnv1a(owner, 0x811c9dc5))}`;
}

/** A hardware address for the node's end of a pod's link. */
export function hostMacOf(owner: string): string {
  const digits = hex(fnv1a(owner, 0x811c9dc5)) + hex(fnv1a(owner, 0x01000193)).slice(0, 2);
  return `0e:${(digits.match(/../g) ?? []).join(':')}`;
}

/** A hardware address that follows from an address, so that it moves with it and needs no neighbour discovery. */
export function macOfAddress(address: string): string {
  const bytes = parseIp(address)?.bytes ?? new Uint8Array(4);
  return `0a:58:${[...bytes.slice(-4)].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`;
}

function fnv1a(text: string, offset: number): number {
  let hash = offset;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function hex(word: number): string {
  return word.toString(16).padStart(8, '0');
}
