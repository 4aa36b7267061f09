import type { RequestContext } from '../handler-chain.js';
import type { ResourceTable } from '../registry/resource-table.js';
import { estimateWork, type ResourceSize, type WorkEstimate } from './estimate-work.js';
import type { QueuedRequest } from './fair-queues.js';
import type { FlowSchema } from './flow-controller.js';

/** A request with what the queues need to know of it. */
export function flowRequest(context: RequestContext, schema: FlowSchema, resources: ResourceTable): QueuedRequest {
  const { user, info } = context;
  const distinguisher = distinguish(schema.distinguisher, user.name, info.namespace);
  return {
    about: { schema: schema.name, distinguisher, user: user.name, info },
    flow: `${schema.name}/${distinguisher}`,
    work: workOf(context, schema, resources),
    signal: () => context.signal,
  };
}

function distinguish(method: string | undefined, user: string, namespace: string): string {
  if (method === 'ByUser') return user;
  return method === 'ByNamespace' ? namespace : '';
}

function workOf({ info, query }: RequestContext, { level }: FlowSchema, resources: ResourceTable): WorkEstimate {
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
