import type { Tracer } from '@coracle/base';
import type { CacheEvent } from './cache-event.js';

/** Tells the tracer of each change of these objects, as it goes out to those who watch. */
export function traceEvents(tracer: Tracer, resource: string, prefix: string): (event: CacheEvent) => void {
  return ({ key, current, previous, revision }) => {
    const event = current ? (previous ? 'MODIFIED' : 'ADDED') : 'DELETED';
    tracer.step('apiserver.watch', `${resource}/${key.slice(prefix.length)}`, { event, revision });
  };
}
