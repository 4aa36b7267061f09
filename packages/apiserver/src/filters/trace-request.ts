import type { Clock, Tracer } from '@coracle/base';
import type { Filter } from '../handler-chain.js';
import { RequestTrace } from '../request-trace.js';

/** Patches follow the path of updates and are not traced: there are many, and the number of traces is limited. */
const followedVerbs: ReadonlySet<string> = new Set(['create', 'update', 'delete']);

/** Traces requests that create, update or delete an object of a kind that the tracer selects. */
export function traceRequest(tracer: Tracer, clock: Clock): Filter {
  return (next) => (context) => {
    const { verb, resource, subresource } = context.info;
    if (followedVerbs.has(verb) && subresource === '' && tracer.follows(resource) && !context.query.has('dryRun')) {
      context.trace = new RequestTrace(tracer, clock);
      context.trace.step('apiserver.receive', undefined, context.receivedAt);
    }
    return next(context);
  };
}
