import { type ApiResponse, type ByteStream, badRequest, pageNotFound } from '@coracle/apimachinery';
import type { Handler } from '../handler-chain.js';

/** The log directory of a machine. */
export interface LogFiles {
  /** The directory or file at a path below it; the empty path is the directory itself. */
  open(path: string): Promise<LogEntry | undefined>;
}

export type LogEntry =
  /** Names of directories end in a slash. */
  | { readonly kind: 'folder'; readonly names: readonly string[] }
  | { readonly kind: 'file'; readonly isText: boolean; readonly stream: ByteStream };

/** `/logs/…`: the logs of the machine that the server runs on. */
export function logEndpoints(files: LogFiles): Readonly<Record<string, Handler>> {
  const serve: Handler = async ({ request }) => {
    const path = decoded(request.path.slice('/logs'.length));
    if (path.split('/').includes('..')) throw badRequest('invalid URL path');
    const entry = await files.open(path.replace(/^\/+|\/+$/g, ''));
    if (!entry) throw pageNotFound();
    return entry.kind === 'folder' ? listing(entry.names) : file(entry);
  };
  return { '/logs': serve, '/logs/': serve };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw badRequest('invalid URL path');
  }
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

function listing(names: readonly string[]): ApiResponse {
  const shown = (name: string) => name.replace(/[&<>"']/g, (found) => escapes[found] ?? found);
  const target = (name: string) => encodeURIComponent(name).replace(/%2F$/, '/');
  const links = names.map((name) => `<a href="${target(name)}">${shown(name)}</a>\n`);
  const bytes = new TextEncoder().encode(`<pre>\n${links.join('')}</pre>\n`);
  return {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache, private' },
    body: { kind: 'bytes', chunks: [bytes] },
  };
}

function file({ isText, stream }: LogEntry & { readonly kind: 'file' }): ApiResponse {
  const type = isText ? 'text/plain; charset=utf-8' : 'application/octet-stream';
  const headers = { 'content-type': type, 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache, private' };
  return { status: 200, headers, body: { kind: 'stream', stream } };
}
