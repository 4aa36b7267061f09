import { type EndpointSlice, type Pod, refs, type Service } from '@coracle/api';
import { formatTime, keyOf, type ObjectKey } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { freshnessTimeoutMs, OwnWrites } from '../own-writes.js';
import { Pacer } from '../pacer.js';
import { messageOf } from '../pod-control.js';
import { indexServicesByLabel, podsOf, selectsPods, servicesTouchedBy } from '../services-of-pod.js';
import { TriggerTimes } from '../trigger-times.js';
import { type EndpointGroup, serviceEndpoints } from './service-endpoints.js';
import {
  followSlices,
  headlessLabel,
  indexSlicesByService,
  managedByLabel,
  type SliceOwner,
  serviceNameLabel,
  slicesOf,
  writeSlices,
} from './write-slices.js';

const managedBy = 'endpointslice-controller.k8s.io';
const maxEndpoints = 100;
/** A service whose pods come one by one gets its slices at once; one that grows by thousands, some times a second. */
const pace = { burst: 20, perSecond: 5 };
/** How long to wait for a node that nothing is known of. */
const nodeWaitMs: Millis = 1000;

/** Keeps, in slices, where the pods of each service are. */
export const endpointSliceController: Controller = {
  name: 'endpointslice-controller',
  component: 'endpoint-slice-controller',
  start(context) {
    const { informers, clock } = context;
    const services = informers.for(refs.services);
    informers.for(refs.nodes);
    indexServicesByLabel(informers);
    indexSlicesByService(context);
    const state: State = {
      writes: new OwnWrites(informers.for(refs.endpointSlices), clock),
      pacer: new Pacer(clock, pace),
      times: new TriggerTimes(),
    };
    return runKeyed(context, {
      name: 'endpoint_slice',
      watch: (queue) => [
        services.addHandler(({ object }) => queue.add(keyOf(object))),
        informers.for(refs.pods).addHandler((event) => {
          for (const service of servicesTouchedBy(informers, event)) queue.add(keyOf(service));
        }),
        followSlices(context, { managedBy, writes: state.writes, queue }),
      ],
      reconcile: (key) => reconcile(key, context, state),
    });
  },
};

interface State {
  readonly writes: OwnWrites<EndpointSlice>;
  readonly pacer: Pacer;
  readonly times: TriggerTimes;
}

async function reconcile(
  key: ObjectKey,
  context: ControllerContext,
  { writes, pacer, times }: State,
): Promise<{ requeueAfterMs: Millis } | undefined> {
  const service = context.informers.for(refs.services).get(key);
  if (!service) {
    // The slices go with their owner.
    for (const part of [writes, pacer, times]) part.forget(key);
    return undefined;
  }
  if (!selectsPods(service)) return undefined;
  // The event that shows our last write comes back to this key.
  if (!writes.isFresh(key)) return { requeueAfterMs: freshnessTimeoutMs };
  const waitMs = pacer.waitFor(key);
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  const pods = podsOf(context.informers, service);
  const { groups, withoutNode } = groupsByFamily(context, service, pods);
  const triggeredAt = times.next(service, pods);
  const owner: SliceOwner = {
    object: service,
    apiVersion: 'v1',
    kind: 'Service',
    labels: labelsFor(service),
    triggerTime: triggeredAt === undefined ? undefined : formatTime(triggeredAt),
  };
  const wanted = { existing: slicesOf(context, key, managedBy), groups, maxEndpoints };
  const written = await writeSlices(context, owner, { wanted, writes }).catch((error: unknown) => {
    tellOfFailure(context, service, messageOf(error));
    throw error;
  });
  if (written === 0) pacer.giveBack(key);
  const [stray] = withoutNode;
  if (!stray) return undefined;
  const node = `Node ${stray.spec?.nodeName} Not Found`;
  tellOfFailure(context, service, `skipping Pod ${stray.metadata.name} for Service ${key}: ${node}`);
  return { requeueAfterMs: nodeWaitMs };
}

function tellOfFailure({ recorder }: ControllerContext, service: Service, problem: string): void {
  const message = `Error updating Endpoint Slices for Service ${keyOf(service)}: ${problem}`;
  recorder.event(
    { apiVersion: 'v1', kind: 'Service', metadata: service.metadata },
    'Warning',
    'FailedToUpdateEndpointSlices',
    message,
  );
}

function groupsByFamily(
  { informers }: ControllerContext,
  service: Service,
  pods: readonly Pod[],
): { readonly groups: ReadonlyMap<string, readonly EndpointGroup[]>; readonly withoutNode: readonly Pod[] } {
  const nodeOf = (name: string) => informers.for(refs.nodes).get(name);
  const groups = new Map<string, readonly EndpointGroup[]>();
  const withoutNode: Pod[] = [];
  for (const family of service.spec?.ipFamilies ?? ['IPv4']) {
    const found = serviceEndpoints({ service, pods, nodeOf }, family);
    groups.set(family, found.groups);
    withoutNode.push(...found.withoutNode);
  }
  return { groups, withoutNode };
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
