import { addFields, type Random, randomUuid } from '@coracle/base';
import type { Filter } from '../handler-chain.js';

/** Gives each request an audit id, or uses the one of the client, and returns it in a header. */
export function auditIds(random: Random): Filter {
  // A random part per server and a counter: unique, and cheap enough for every request.
  const prefix = randomUuid(random).slice(0, 24);
  let count = 0;
  return (next) => async (context) => {
    context.auditId = context.request.headers['audit-id'] ?? prefix + (++count).toString(16).padStart(12, '0');
    const response = await next(context);
    const { responseHeaders, auditId } = context;
    const headers = responseHeaders ? addFields(response.headers, responseHeaders) : response.headers;
    return { ...response, headers: addFields(headers, { 'audit-id': auditId }) };
  };
}
