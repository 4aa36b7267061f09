import { type EndpointSlice, refs, type Service } from '@coracle/api';
import { formatTime, keyOf, type ObjectKey } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { freshnessTimeoutMs, OwnWrites } from '../own-writes.js';
import { Pacer } from '../pacer.js';
import { indexServicesByLabel, podsOf, selectsPods, servicesTouchedBy } from '../services-of-pod.js';
import { TriggerTimes } from '../trigger-times.js';
import { type EndpointGroup, serviceEndpoints } from './service-endpoints.js';
import {
  headlessLabel,
  indexSlicesByService,
  managedByLabel,
  serviceKeyOf,
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
        informers.for(refs.endpointSlices).addHandler(({ type, object }) => {
          const key = object.metadata.labels?.[managedByLabel] === managedBy ? serviceKeyOf(object) : undefined;
          if (key === undefined) return;
          if (state.writes.seen(key, object, type === 'deleted') || type === 'deleted') queue.add(key);
        }),
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
  if (!selectsPods(service) || service.metadata.deletionTimestamp) return undefined;
  // The event that shows our last write comes back to this key.
  if (!writes.isFresh(key)) return { requeueAfterMs: freshnessTimeoutMs };
  const waitMs = pacer.waitFor(key);
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  const pods = podsOf(context.informers, service);
  const { groups, isComplete } = groupsByFamily(context, service, pods);
  const triggeredAt = times.next(service, pods);
  const written = await writeSlices(
    context,
    {
      object: service,
      apiVersion: 'v1',
      kind: 'Service',
      labels: labelsFor(service),
      triggerTime: triggeredAt === undefined ? undefined : formatTime(triggeredAt),
    },
    { wanted: { existing: slicesOf(context, key, managedBy), groups, maxEndpoints }, writes },
  );
  if (written === 0) pacer.giveBack(key);
  return isComplete ? undefined : { requeueAfterMs: nodeWaitMs };
}

function groupsByFamily(
  { informers }: ControllerContext,
  service: Service,
  pods: ReturnType<typeof podsOf>,
): { readonly groups: ReadonlyMap<string, readonly EndpointGroup[]>; readonly isComplete: boolean } {
  const nodeOf = (name: string) => informers.for(refs.nodes).get(name);
  const groups = new Map<string, readonly EndpointGroup[]>();
  let isComplete = true;
  for (const family of service.spec?.ipFamilies ?? ['IPv4']) {
    const found = serviceEndpoints({ service, pods, nodeOf }, family);
    groups.set(family, found.groups);
    isComplete &&= found.withoutNode.length === 0;
  }
  return { groups, isComplete };
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
