import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteStream } from '@coracle/apimachinery';

type LogEntry =
  | { readonly kind: 'folder'; readonly names: readonly string[] }
  | { readonly kind: 'file'; readonly isText: boolean; readonly stream: ByteStream };

/** A directory of logs, read again for each request. Files that this process may not read are hidden. */
export function logFolder(folder: string): { open(path: string): Promise<LogEntry | undefined> } {
  return { open: (path) => entryAt(join(folder, path)).catch(() => undefined) };
}

async function entryAt(path: string): Promise<LogEntry | undefined> {
  const found = await stat(path);
  if (found.isDirectory()) return { kind: 'folder', names: await namesIn(path) };
  if (!found.isFile()) return undefined;
  return { kind: 'file', isText: await looksLikeText(path), stream: streamOf(path) };
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
}

/** Number of bytes that are read to detect the content type. */
const headBytes = 512;

async function looksLikeText(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return !buffer.subarray(0, bytesRead).includes(0);
}

/** Reads no faster than the receiver. */
function streamOf(file: string): ByteStream {
  return {
    open: (sink) => {
      const reading = createReadStream(file);
      reading.on('data', (chunk) => {
        if (!sink.write(chunk as Buffer)) reading.pause();
      });
      reading.on('end', () => sink.end());
      reading.on('error', () => sink.end());
      sink.onDrain(() => reading.resume());
      sink.onClose(() => reading.destroy());
    },
  };
}
