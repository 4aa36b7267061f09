import type { RequestContext } from '../handler-chain.js';
import type { ResourceTable } from '../registry/resource-table.js';
import { estimateWork, isSingleSeat, oneSeat, type ResourceSize, type WorkEstimate } from './estimate-work.js';
import type { RequestDescription } from './fair-queues.js';
import type { FlowSchema } from './flow-controller.js';

/** A flow: the requests of one schema of one user, of one namespace, or all of them. */
export function flowOf({ user, info }: RequestContext, { name, distinguisher }: FlowSchema): string {
  return `${name}/${distinguish(distinguisher, user.name, info.namespace)}`;
}

export function describeFlow({ user, info }: RequestContext, schema: FlowSchema): RequestDescription {
  const distinguisher = distinguish(schema.distinguisher, user.name, info.namespace);
  return { schema: schema.name, distinguisher, user: user.name, info };
}

function distinguish(method: string | undefined, user: string, namespace: string): string {
  if (method === 'ByUser') return user;
  return method === 'ByNamespace' ? namespace : '';
}

/** The expected cost of the request. */
export function workOf({ info, query }: RequestContext, { level }: FlowSchema, resources: ResourceTable): WorkEstimate {
  if (isSingleSeat(info)) return oneSeat;
  return estimateWork({ info, query, size: sizeOf(info, resources), maxSeats: level.maxSeats });
}

function sizeOf(
  { isResourceRequest, group, resource }: RequestContext['info'],
  resources: ResourceTable,
): ResourceSize | undefined {
  const stored = isResourceRequest ? resources.findStored({ group, resource }) : undefined;
  if (!stored) return undefined;
  const { cache } = stored.storage;
  const { size: objects, objectBytes, options } = cache;
  return { objects, objectBytes, isCached: options.uncached !== true, watchers: cache.watchers.size };
}
