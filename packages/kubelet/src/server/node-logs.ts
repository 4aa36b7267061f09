import type { ApiResponse } from '@coracle/apimachinery';
import { logResponse } from '../logs/log-response.js';
import { textResponse } from '../streaming/refusal.js';

/** The log directory of the machine, for administrators: `/var/log`. */
export interface NodeLogs {
  /** The file or directory at a path below it; `undefined` if it does not exist, or a link leads outside. */
  open(path: string): Promise<NodeLogEntry | undefined>;
}

export type NodeLogEntry =
  /** Names of its entries; those of directories end with a slash. */
  | { readonly kind: 'folder'; readonly names: readonly string[] }
  | { readonly kind: 'file'; readonly pieces: AsyncGenerator<Uint8Array> };

/** `/logs/PATH`: a file, or a directory as a page of links. */
export async function serveNodeLogs(logs: NodeLogs | undefined, path: string): Promise<ApiResponse> {
  const entry = await logs?.open(path);
  if (!entry) return textResponse(404, '404 page not found\n');
  if (entry.kind === 'file') return logResponse(entry.pieces, false);
  if (!path.endsWith('/') && path !== '') return redirected(`${path.split('/').at(-1)}/`);
  const links = entry.names.map((name) => `<a href="${encodeURI(name)}">${escaped(name)}</a>\n`);
  const page = `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${links.join('')}</pre>\n`;
  return textResponse(200, page, { 'content-type': 'text/html; charset=utf-8' });
}

function redirected(location: string): ApiResponse {
  return { status: 301, headers: { location }, body: { kind: 'empty' } };
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;' };
  return text.replace(/[&<>"]/g, (letter) => entities[letter] ?? letter);
}
