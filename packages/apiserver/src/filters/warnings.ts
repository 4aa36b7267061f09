import type { ApiResponse } from '@coracle/apimachinery';
import type { Filter } from '../handler-chain.js';

/** Maximum length of all warnings of one response together. */
const mostCharacters = 4096;
/** Maximum length of each warning if all together are longer. */
const mostOfOne = 256;

/** Sends the warnings of handlers in `Warning` headers. */
export const warnings: Filter = (next) => async (context) => {
  const response = await next(context);
  return context.warnings.length === 0 ? response : withWarnings(response, context.warnings);
};

function withWarnings(response: ApiResponse, messages: readonly string[]): ApiResponse {
  const warning = shortened(messages.filter(isSendable)).map((message) => `299 - "${quote(message)}"`);
  return warning.length === 0 ? response : { ...response, headers: { ...response.headers, warning } };
}

/** A warning with characters that are invalid in a header is not sent. */
function isSendable(message: string): boolean {
  return message !== '' && !/\p{Cc}/u.test(message);
}

/** Warnings unchanged while they are short; otherwise truncated, until the limit is reached. */
function shortened(messages: readonly string[]): readonly string[] {
  const lengths = messages.map((message) => [...message].length);
  if (lengths.reduce((sum, length) => sum + length, 0) <= mostCharacters) return messages;
  const sent: string[] = [];
  let written = 0;
  for (const message of messages) {
    if (written >= mostCharacters) break;
    const text = [...message].slice(0, mostOfOne);
    written += text.length;
    sent.push(text.join(''));
  }
  return sent;
}

function quote(message: string): string {
  return message.replace(/[\\"]/g, '\\$&');
}
