import { fromBase64 } from '@coracle/apimachinery';

/** The text between a `BEGIN` and its `END`. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly content: Uint8Array;
}

/** All blocks of a text, in order. Text around them and invalid base64 are skipped. */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  for (const [, type = '', body = ''] of text.matchAll(/-----BEGIN ([^-]+)-----([\s\S]*?)-----END \1-----/g)) {
    const lines = body.trim().split(/\r?\n/);
    const firstOfContent = Math.max(
      lines.findIndex((line) => !line.includes(':')),
      0,
    );
    const content = fromBase64(lines.slice(firstOfContent).join('').replace(/\s/g, ''));
    if (content) blocks.push({ type, hasHeaders: firstOfContent > 0, content });
  }
  return blocks;
}
