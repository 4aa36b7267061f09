import type { Tracer } from '@coracle/base';
import type { CacheEvent } from './cache-event.js';

/** Reports each change of these objects to the tracer, when it is sent to watches. */
export function traceEvents(tracer: Tracer, resource: string, prefix: string): (event: CacheEvent) => void {
  return ({ key, current, previous, revision }) => {
    const event = current ? (previous ? 'MODIFIED' : 'ADDED') : 'DELETED';
    tracer.step('apiserver.watch', `${resource}/${key.slice(prefix.length)}`, { event, revision });
  };
}
