import { deepFreeze, noMetrics, SharedTicks } from '@coracle/base';
import type { Store } from '@coracle/store';
import { AdmissionChain } from './admission/admission-chain.js';
import { AdmissionMeter } from './admission/admission-meter.js';
import { type ApiServerOptions, protobufType } from './api-server-options.js';
import { usualFeatures } from './features/feature-gates.js';
import { LongRunning } from './handlers/long-running.js';
import type { HandlerDependencies } from './handlers/operation.js';
import { createObjectReader, createObjectWriter } from './object-access.js';
import { noNetwork } from './outbound/dialer.js';
import { Outbound } from './outbound/outbound.js';
import { createServiceAddressing } from './registry/core/service-allocation/service-addressing.js';
import { paramSource } from './registry/param-source.js';
import { Registry } from './registry/registry.js';
import { builtInResources, ResourceTable } from './registry/resource-table.js';
import { storageRoot } from './registry/storage-prefix.js';
import { builtInSubresources } from './registry/subresources.js';
import type { ServerParts } from './server-parts.js';
import { measuredStore } from './storage/measured-store.js';
import { protobufStore } from './storage/protobuf-store.js';
import { SharedLeases } from './storage/shared-leases.js';
import { ChangeFeed } from './watching/change-feed.js';
import type { StorageDependencies } from './watching/resource-storage.js';
import { SentEvents } from './watching/sent-events.js';
import { TimeBudget } from './watching/time-budget.js';
import { bookmarkEveryMs } from './watching/watch-session.js';

const defaultMinWatchMs = 1_800_000;

/** Creates the layers between the store and the handlers, without starting them. */
export interface WiredParts {
  readonly store: Store;
  readonly feed: ChangeFeed;
  /** Those of the stores that only some resources have. */
  readonly otherFeeds: readonly ChangeFeed[];
  readonly tables: Parameters<typeof builtInResources>[1];
  readonly services: ReturnType<typeof createServiceAddressing>;
  readonly parts: ServerParts;
  /** Sets the result of `parts.serverAddress`. */
  setAddress(address: string): void;
}

export function wireParts(options: ApiServerOptions): WiredParts {
  const { clock, random, logger, tracer, allowsPrivileged, features = usualFeatures } = options;
  const storage = storageOn(options, options.store, () => resources);
  const { store, feed } = storage;
  const overrides = overridesOf(options, () => resources);
  const onShare = options.freezesObjects ? deepFreeze : undefined;
  const { eventTtlSeconds } = options;
  const tables = { ...storage, tracer, onShare, eventTtlSeconds, overrides };
  const resources = options.crds ? new ResourceTable() : builtInResources(options.runtimeConfig ?? {}, tables);
  const objects = createObjectReader(() => resources);
  const own = { clock, random, tracer, objects, features, allowsPrivileged };
  const plain = new Registry({ ...own, admission: new AdmissionChain([]) });
  const plainWriter = createObjectWriter(resources, plain);
  const { dialer = noNetwork, podDialer } = options;
  const outbound = new Outbound({ objects, random, clock, dialer, podDialer });
  const plugins = options.admission({ objects, writer: plainWriter, outbound, params: paramSource(resources) });
  const admission = new AdmissionChain(plugins, meterOf(options));
  const services = createServiceAddressing(
    { store, objects, writer: plainWriter, clock, random, logger },
    options.serviceRanges ?? {},
  );
  const registry = new Registry({ ...plain.deps, admission, serviceAllocator: services.allocator });
  const writer = createObjectWriter(resources, registry.withAdmission(new AdmissionChain([])));
  let address = options.serverAddress ?? '127.0.0.1:6443';
  const serverAddress = () => address;
  const parts = { objects, writer, registry, resources, features, outbound, clock, random, serverAddress };
  const otherFeeds = [...new Set([...overrides.values()].map((one) => one.feed))];
  return { store, feed, otherFeeds, tables, services, parts, setAddress: (value) => void (address = value) };
}

type Wired = StorageDependencies & { readonly feed: ChangeFeed };

/** What the resources of one store share. */
function storageOn(options: ApiServerOptions, plain: Store, resources: () => ResourceTable): Wired {
  const { clock, logger, activity } = options;
  const store = storeOf(options, plain, resources);
  const feed = new ChangeFeed(storageRoot, { store, clock, logger, activity });
  return { store, feed, leases: new SharedLeases(store, clock), clock, logger, activity };
}

/** By `group/resource`. */
function overridesOf(options: ApiServerOptions, resources: () => ResourceTable): Map<string, Wired> {
  const byStore = new Map<Store, Wired>();
  const overrides = new Map<string, Wired>();
  for (const { group, resource, store } of options.storeOverrides ?? []) {
    const wired = byStore.get(store) ?? storageOn(options, store, resources);
    byStore.set(store, wired);
    overrides.set(`${group}/${resource}`, wired);
  }
  return overrides;
}

/** The store in the configured media type, and measured if there are metrics. */
function storeOf(
  { storageMediaType, clock, metrics }: ApiServerOptions,
  store: Store,
  resources: () => ResourceTable,
): Store {
  const formed = storageMediaType === protobufType ? protobufStore(store) : store;
  if (metrics === noMetrics) return formed;
  return measuredStore(formed, { clock, metrics, resourceAt: (prefix) => resources().storedAt(prefix) });
}

function meterOf({ clock, metrics }: ApiServerOptions): AdmissionMeter | undefined {
  return metrics === noMetrics ? undefined : new AdmissionMeter({ clock, metrics });
}

/** The dependencies that the handlers share. */
export function handlerDependencies(options: ApiServerOptions, parts: ServerParts): HandlerDependencies {
  const { metrics, logger, minWatchMs = defaultMinWatchMs } = options;
  const { features, registry, resources, clock, random } = parts;
  return {
    parts,
    authorizer: options.authorizer(parts),
    features,
    registry,
    resources,
    clock,
    random,
    logger,
    metrics,
    subresources: { ...builtInSubresources, ...options.subresources?.(parts) },
    sentEvents: new SentEvents(metrics),
    terminatedWatchers: metrics.counter({
      name: 'apiserver_terminated_watchers_total',
      help: 'Watches that were ended because their clients did not keep up.',
      labels: ['group', 'resource'],
    }),
    deprecatedApis: metrics.gauge({
      name: 'apiserver_requested_deprecated_apis',
      help: 'Deprecated APIs that have been requested.',
      labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
    }),
    longRunning: new LongRunning(metrics),
    minWatchMs,
    budget: new TimeBudget(clock),
    bookmarkTicks: new SharedTicks(clock, bookmarkEveryMs),
    watches: new Set(),
  };
}
