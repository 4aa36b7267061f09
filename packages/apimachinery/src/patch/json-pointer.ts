import { patchRejected } from './patch-errors.js';

/** The steps of an RFC 6901 pointer, unescaped. Empty for the whole document. */
export type JsonPointer = readonly string[];

export function parsePointer(text: string): JsonPointer {
  if (text === '') return [];
  if (!text.startsWith('/')) throw patchRejected(`invalid JSON pointer: ${JSON.stringify(text)}`);
  // In this order, so that `~01` means `~1`.
  return text
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
