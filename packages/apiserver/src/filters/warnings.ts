import type { ApiResponse } from '@coracle/apimachinery';
import type { Filter } from '../handler-chain.js';

/** All warnings of one answer may take this many bytes. */
const mostBytes = 4096;

/** Sends the warnings of handlers in `Warning` headers. */
export const warnings: Filter = (next) => async (context) => {
  const response = await next(context);
  return context.warnings.length === 0 ? response : withWarnings(response, context.warnings);
};

function withWarnings(response: ApiResponse, messages: readonly string[]): ApiResponse {
  const headers: string[] = [];
  let size = 0;
  for (const message of messages) {
    const header = `299 - "${quote(message)}"`;
    size += header.length;
    if (size > mostBytes) break;
    headers.push(header);
  }
  return { ...response, headers: { ...response.headers, warning: headers } };
}

/** A quoted string of one line. */
function quote(message: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters would break the header
  return message.replace(/[\u0000-\u001f\u007f]+/g, ' ').replace(/[\\"]/g, '\\$&');
}
