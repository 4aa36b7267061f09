import type { PodTemplateSpec } from '@coracle/api';
import { writeJson } from '@coracle/apimachinery';
import { dumpTemplate } from './dump-template.js';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const offset = 0x811c9dc5;
const prime = 0x01000193;

/** The value of `pod-template-hash`: FNV-1a over the dump of the template and the collision count. */
export function templateHash(template: PodTemplateSpec | undefined, collisionCount: number | undefined): string {
  let hash = offset;
  for (const byte of new TextEncoder().encode(dumpTemplate(template))) hash = Math.imul(hash ^ byte, prime);
  if (collisionCount !== undefined) {
    for (const byte of littleEndian(collisionCount)) hash = Math.imul(hash ^ byte, prime);
  }
  return safeText(hash);
}

/** The hash in the name of a StatefulSet's revision: FNV-1 over its data and the collision count. */
export function revisionHash(data: object, collisionCount: number): string {
  let hash = offset;
  for (const byte of new TextEncoder().encode(goJson(data) + collisionCount)) hash = Math.imul(hash, prime) ^ byte;
  return safeText(hash);
}

/** JSON as Go encodes it, with HTML and line separators escaped. */
function goJson(value: object): string {
  return writeJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The count as four bytes in a field of eight. */
function littleEndian(count: number): number[] {
  return [count & 0xff, (count >>> 8) & 0xff, (count >>> 16) & 0xff, (count >>> 24) & 0xff, 0, 0, 0, 0];
}

/** A hash in letters and digits that cannot form words. */
function safeText(hash: number): string {
  return [...String(hash >>> 0)].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}
