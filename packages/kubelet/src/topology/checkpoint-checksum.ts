/** FNV-1a hash of a checkpoint, which detects truncated or edited files. */
export function checksumOf(state: object): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(JSON.stringify(state))) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
