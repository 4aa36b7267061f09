import { type Random, randomUuid } from '@coracle/base';
import type { Filter } from '../handler-chain.js';

/** Gives each request its id, or keeps the one that the client has sent, and tells it in the answer. */
export function auditIds(random: Random): Filter {
  return (next) => async (context) => {
    context.auditId = context.request.headers['audit-id'] ?? randomUuid(random);
    const response = await next(context);
    return { ...response, headers: { ...response.headers, 'audit-id': context.auditId } };
  };
}
