import type { Clock, Tracer } from '@coracle/base';
import type { Filter } from '../handler-chain.js';
import { RequestTrace } from '../request-trace.js';

/** Follows requests that make an object of a kind that the tracer is interested in. */
export function traceRequest(tracer: Tracer, clock: Clock): Filter {
  return (next) => (context) => {
    const { verb, resource, subresource } = context.info;
    if (verb === 'create' && subresource === '' && tracer.follows(resource) && !context.query.has('dryRun')) {
      context.trace = new RequestTrace(tracer, clock);
      context.trace.step('apiserver.receive', undefined, context.receivedAt);
    }
    return next(context);
  };
}
