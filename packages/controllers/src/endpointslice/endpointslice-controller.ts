import { type EndpointSlice, type Node, type Pod, refs, type Service } from '@coracle/api';
import { formatTime, isConditionTrue, keyOf, type ObjectKey } from '@coracle/apimachinery';
import { type Millis, messageOf } from '@coracle/base';
import type { InformerEvent } from '@coracle/client';
import { addAfterBatch } from '../batch-period.js';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { retryLimiter } from '../retry-limiter.js';
import { ServiceTurns } from '../service-turns.js';
import { indexServicesByLabel, podsOf, selectsPods, servicesTouchedBy } from '../services-of-pod.js';
import type { EndpointGroup } from './endpoint-group.js';
import { serviceEndpoints } from './service-endpoints.js';
import { SliceMetrics } from './slice-metrics.js';
import { SyncMetrics } from './sync-metrics.js';
import { type HintsNews, TopologyCache } from './topology-cache.js';
import {
  followSlices,
  headlessLabel,
  indexSlicesByService,
  managedByLabel,
  type SliceOwner,
  serviceNameLabel,
  slicesOf,
  type WantedSlices,
  writeSlices,
} from './write-slices.js';
import { wantsTopologyHints, zoneLabel } from './zone-shares.js';

const managedBy = 'endpointslice-controller.k8s.io';
const subsystem = 'endpoint_slice_controller';
const defaultMaxEndpoints = 100;
/**
 * Burst and rate of writes for one service: slices follow single pods at once, and thousands of pods a few times per
 * second.
 */
const pace = { burst: 20, perSecond: 5 };
/** Limits the length of messages in events. */
const retries = { baseMs: 1000, maxMs: 1_000_000 };

export interface EndpointSliceOptions {
  /** `--max-endpoints-per-slice`. */
  readonly maxEndpoints?: number;
  /** `--endpointslice-updates-batch-period`: time for which changes of pods are batched. */
  readonly batchMs?: Millis | undefined;
}

/** Maintains the endpoint slices of each service. */
export function endpointSliceController(options: EndpointSliceOptions = {}): Controller {
  const { maxEndpoints = defaultMaxEndpoints, batchMs = 0 } = options;
  return {
    name: 'endpointslice-controller',
    component: 'endpoint-slice-controller',
    start(context) {
      const { informers, clock, metrics } = context;
      const nodes = informers.for(refs.nodes);
      indexServicesByLabel(informers);
      indexSlicesByService(context);
      const work: Work = {
        context,
        maxEndpoints,
        turns: new ServiceTurns({ copy: informers.for(refs.endpointSlices), clock, pace }),
        topology: new TopologyCache(() => nodes.list()),
        metrics: new SliceMetrics(metrics, subsystem),
        syncs: new SyncMetrics(metrics, subsystem),
      };
      return runKeyed(context, {
        name: 'endpoint_slice',
        limiter: retryLimiter(clock, retries),
        watch: (queue) => [
          informers.for(refs.services).addHandler(({ object }) => queue.add(keyOf(object))),
          informers.for(refs.pods).addHandler((event) => {
            for (const service of servicesTouchedBy(informers, event)) addAfterBatch(queue, keyOf(service), batchMs);
          }),
          nodes.addHandler((event) => {
            if (changesZones(event)) for (const service of work.topology.nodesChanged()) queue.add(service);
          }),
          followSlices(context, { managedBy, writes: work.turns.writes, queue }),
        ],
        reconcile: (key) => reconcile(key, work),
      });
    },
  };
}

interface Work {
  readonly context: ControllerContext;
  readonly maxEndpoints: number;
  readonly turns: ServiceTurns<EndpointSlice>;
  readonly topology: TopologyCache;
  readonly metrics: SliceMetrics;
  readonly syncs: SyncMetrics;
}

/** Zones are compared by the CPUs of their ready nodes. */
function changesZones(event: InformerEvent<Node>): boolean {
  if (event.type !== 'updated') return true;
  const view = ({ metadata, status }: Node) =>
    `${isConditionTrue(status?.conditions, 'Ready')} ${metadata.labels?.[zoneLabel]}`;
  return view(event.object) !== view(event.previous);
}

async function reconcile(key: ObjectKey, work: Work): Promise<{ requeueAfterMs: Millis } | undefined> {
  const { context, turns, topology, metrics, syncs } = work;
  const service = context.informers.for(refs.services).get(key);
  if (!service) {
    // Slices are deleted with their owner.
    for (const part of [turns, topology, metrics, syncs]) part.forget(key);
    return undefined;
  }
  if (!selectsPods(service)) return undefined;
  const waitMs = turns.waitFor(key);
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  try {
    const written = await bringInLine(service, work);
    if (written === 0) turns.giveBack(key);
    syncs.succeeded(service, written);
  } catch (error) {
    syncs.failed();
    const message = `Error updating Endpoint Slices for Service ${key}: ${messageOf(error)}`;
    tell(context, service, { type: 'Warning', reason: 'FailedToUpdateEndpointSlices', message });
    throw error;
  }
  return undefined;
}

/** Returns how many slices were written. Pods whose node is unknown are left out, which counts as a failure. */
async function bringInLine(service: Service, work: Work): Promise<number> {
  const { context, turns, metrics } = work;
  const pods = podsOf(context.informers, service);
  const { groups, withoutNode } = groupsByFamily(context, service, pods);
  const triggeredAt = turns.triggeredAt(service, pods);
  const owner: SliceOwner = {
    object: service,
    apiVersion: 'v1',
    kind: 'Service',
    labels: labelsFor(service),
    triggerTime: triggeredAt === undefined ? undefined : formatTime(triggeredAt),
  };
  const news: HintsNews[] = [];
  const desired = withTopology(service, work, { groups, news });
  const written = await writeSlices(context, owner, { desired, writes: turns.writes, metrics });
  for (const one of news) tell(context, service, one);
  if (withoutNode.length > 0) throw new Error(withoutNodeMessage(service, withoutNode));
  return written;
}

/** The desired slices of the service, with topology hints if it requests them. Records events about the hints. */
function withTopology(
  service: Service,
  { context, topology, maxEndpoints }: Work,
  { groups, news }: { readonly groups: WantedSlices['groups']; readonly news: HintsNews[] },
): WantedSlices {
  const key = keyOf(service);
  const desired = { existing: slicesOf(context, key, managedBy), groups, maxEndpoints };
  if (!wantsTopologyHints(service)) {
    for (const addressType of groups.keys()) news.push(...topology.withdraw({ service: key, addressType }));
    return desired;
  }
  return {
    ...desired,
    assignHints(addressType, plan, unchanged) {
      const assigned = topology.assign({ service: key, addressType }, { plan, unchanged });
      news.push(...assigned.news);
      return assigned.plan;
    },
  };
}

function withoutNodeMessage(service: Service, pods: readonly Pod[]): string {
  const messages = pods.map(
    ({ metadata, spec }) =>
      `skipping Pod ${metadata.name} for Service ${keyOf(service)}: Node ${spec?.nodeName} Not Found`,
  );
  return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
}

function tell(
  { recorder }: ControllerContext,
  { metadata }: Service,
  { type, reason, message }: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string },
): void {
  recorder.event({ apiVersion: 'v1', kind: 'Service', metadata }, type, reason, message);
}

function groupsByFamily(
  { informers }: ControllerContext,
  service: Service,
  pods: readonly Pod[],
): { readonly groups: ReadonlyMap<string, readonly EndpointGroup[]>; readonly withoutNode: readonly Pod[] } {
  const nodeOf = (name: string) => informers.for(refs.nodes).get(name);
  const groups = new Map<string, readonly EndpointGroup[]>();
  const withoutNode = new Set<Pod>();
  for (const family of service.spec?.ipFamilies ?? ['IPv4']) {
    const found = serviceEndpoints({ service, pods, nodeOf }, family);
    groups.set(family, found.groups);
    for (const pod of found.withoutNode) withoutNode.add(pod);
  }
  return { groups, withoutNode: [...withoutNode] };
}

function labelsFor({ metadata, spec }: Service): Record<string, string> {
  const { [headlessLabel]: _headless, ...labels } = metadata.labels ?? {};
  return {
    ...labels,
    [serviceNameLabel]: metadata.name ?? '',
    [managedByLabel]: managedBy,
    ...(spec?.clusterIP === 'None' && { [headlessLabel]: '' }),
  };
}
