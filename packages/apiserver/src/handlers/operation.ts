import { forbidden } from '@coracle/apimachinery';
import type { Clock, Counter, Gauge, Logger, Metrics, Millis, Random, SharedTicks } from '@coracle/base';
import { accessAttributes } from '../authorization/access-attributes.js';
import type { Authorizer } from '../authorization/authorizer.js';
import type { FeatureGates } from '../features/feature-gates.js';
import type { RequestContext } from '../handler-chain.js';
import type { Reply } from '../negotiation/respond.js';
import type { Registry } from '../registry/registry.js';
import type { ResourceTable } from '../registry/resource-table.js';
import type { SubresourceTable } from '../registry/subresource.js';
import type { WriteOptions, WriteRequest } from '../registry/write-request.js';
import type { ServerParts } from '../server-parts.js';
import type { SentEvents } from '../watching/sent-events.js';
import type { TimeBudget } from '../watching/time-budget.js';
import type { WatchSession } from '../watching/watch-session.js';
import type { LongRunning } from './long-running.js';

/** Dependencies of the verbs. */
export interface HandlerDependencies {
  readonly registry: Registry;
  readonly resources: ResourceTable;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly parts: ServerParts;
  readonly authorizer: Authorizer;
  readonly features: FeatureGates;
  readonly subresources: SubresourceTable;
  readonly sentEvents: SentEvents;
  /** `apiserver_terminated_watchers_total` */
  readonly terminatedWatchers: Counter;
  /** `apiserver_requested_deprecated_apis` */
  readonly deprecatedApis: Gauge;
  readonly longRunning: LongRunning;
  readonly minWatchMs: Millis;
  readonly budget: TimeBudget;
  /** Schedules the bookmarks of all watches. */
  readonly bookmarkTicks: SharedTicks;
  /** The open watches, which the server closes when it stops. */
  readonly watches: Set<WatchSession>;
}

/** One verb on one resource. */
export interface ResourceOperation extends Reply {
  readonly deps: HandlerDependencies;
}

export function writeRequest({ context, resource }: Reply, options: WriteOptions): WriteRequest {
  const { info, user, audit } = context;
  return {
    resource: resource.written ?? resource,
    namespace: resource.info.namespaced ? info.namespace : '',
    name: info.name,
    subresource: info.subresource,
    user,
    options,
    warn: (message) => addWarning(context, message),
    annotate: audit && ((key, value, level) => audit.annotate(key, value, level)),
    lifetime: context,
    trace: context.trace,
    holdsEmpty: () => context.holdsEmpty === true,
  };
}

/** An update that would create the object requires the permission to create too. */
export async function requireCreate({ deps, context }: ResourceOperation): Promise<void> {
  const decision = await deps.authorizer.authorize({ ...accessAttributes(context), verb: 'create' });
  if (decision.kind !== 'allow') throw forbidden(context.info, context.info.name, decision.reason);
}

export function addWarning({ warnings }: RequestContext, message: string): void {
  if (!warnings.includes(message)) warnings.push(message);
}
