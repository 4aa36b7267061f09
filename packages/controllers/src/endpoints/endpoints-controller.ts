import { type Endpoints, refs, type Service } from '@coracle/api';
import { formatTime, isNotFound, keyOf, type ObjectKey, splitObjectKey } from '@coracle/apimachinery';
import { deepEqual, type Millis, messageOf } from '@coracle/base';
import { isNamespaceTerminating } from '../active-namespace.js';
import { addAfterBatch } from '../batch-period.js';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { ServiceTurns } from '../service-turns.js';
import { indexServicesByLabel, podsOf, selectsPods, servicesTouchedBy } from '../services-of-pod.js';
import { triggerTimeAnnotation } from '../trigger-times.js';
import { cutToSize, endpointSubsets } from './plan-endpoints.js';

const managedByLabel = 'endpoints.kubernetes.io/managed-by';
const managedBy = 'endpoint-controller';
const headlessLabel = 'service.kubernetes.io/headless';
const overCapacity = 'endpoints.kubernetes.io/over-capacity';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';
/** One object has all pods of a service and can be large, so it is written less often than slices. */
const pace = { burst: 20, perSecond: 2 };

export interface EndpointsOptions {
  /** `--endpoint-updates-batch-period`: time for which changes of pods are batched. */
  readonly batchMs?: Millis | undefined;
}

/** Maintains the Endpoints object of each service. */
export function endpointsController({ batchMs = 0 }: EndpointsOptions = {}): Controller {
  return {
    name: 'endpoints-controller',
    account: 'endpoint-controller',
    component: 'endpoint-controller',
    start(context) {
      const { informers, clock } = context;
      const endpoints = informers.for(refs.endpoints);
      indexServicesByLabel(informers);
      const turns = new ServiceTurns({ copy: endpoints, clock, pace });
      return runKeyed(context, {
        name: 'endpoint',
        watch: (queue) => [
          informers.for(refs.services).addHandler(({ object }) => queue.add(keyOf(object))),
          informers.for(refs.pods).addHandler((event) => {
            for (const service of servicesTouchedBy(informers, event)) addAfterBatch(queue, keyOf(service), batchMs);
          }),
          endpoints.addHandler((event) => {
            const { type, object } = event;
            const key = keyOf(object);
            const isLeftOver =
              type === 'added' && event.initial && object.metadata.labels?.[managedByLabel] === managedBy;
            if (turns.writes.seen(key, object, type === 'deleted') || type === 'deleted' || isLeftOver) queue.add(key);
          }),
        ],
        reconcile: (key) => reconcile(key, context, turns),
      });
    },
  };
}

async function reconcile(
  key: ObjectKey,
  context: ControllerContext,
  turns: ServiceTurns<Endpoints>,
): Promise<{ requeueAfterMs: Millis } | undefined> {
  const service = context.informers.for(refs.services).get(key);
  if (!service) {
    turns.forget(key);
    await remove(key, context);
    return undefined;
  }
  if (!selectsPods(service)) return undefined;
  const waitMs = turns.waitFor(key);
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  if (!(await bringInLine(service, context, turns))) turns.giveBack(key);
  return undefined;
}

/** Endpoints are deleted with their service, except those for leader election, which never had one. */
async function remove(key: ObjectKey, { client, informers }: ControllerContext): Promise<void> {
  const found = informers.for(refs.endpoints).get(key);
  if (!found || found.metadata.annotations?.[leaderAnnotation] !== undefined) return;
  const { namespace, name } = splitObjectKey(key);
  await client
    .resource(refs.endpoints, namespace)
    .delete(name)
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}

/** False if there was nothing to write. */
async function bringInLine(
  service: Service,
  context: ControllerContext,
  turns: ServiceTurns<Endpoints>,
): Promise<boolean> {
  const { client, informers, recorder } = context;
  const key = keyOf(service);
  const pods = podsOf(informers, service);
  const triggeredAt = turns.triggeredAt(service, pods);
  const current = informers.for(refs.endpoints).get(key);
  const endpoints = wantedEndpoints(service, current, cutToSize(endpointSubsets(service, pods)));
  if (current && isSame(current, endpoints)) return false;
  if (triggeredAt !== undefined) {
    endpoints.metadata.annotations = {
      ...endpoints.metadata.annotations,
      [triggerTimeAnnotation]: formatTime(triggeredAt),
    };
  }
  const resource = client.resource(refs.endpoints, service.metadata.namespace);
  try {
    turns.writes.wrote(key, await (current ? resource.update(endpoints) : resource.create(endpoints)));
    return true;
  } catch (error) {
    if (isNamespaceTerminating(error)) return false;
    const [reason, failed] = current
      ? ['FailedToUpdateEndpoint', 'Failed to update endpoint']
      : ['FailedToCreateEndpoint', 'Failed to create endpoint for service'];
    recorder.event(endpoints, 'Warning', reason, `${failed} ${key}: ${messageOf(error)}`);
    throw error;
  }
}

function wantedEndpoints(
  { metadata, spec }: Service,
  current: Endpoints | undefined,
  { subsets, truncated }: ReturnType<typeof cutToSize>,
): Endpoints {
  const { [headlessLabel]: _headless, ...labels } = metadata.labels ?? {};
  const { [overCapacity]: _over, [triggerTimeAnnotation]: _time, ...annotations } = current?.metadata.annotations ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      ...current?.metadata,
      ...(!current && { name: metadata.name ?? '', namespace: metadata.namespace ?? '' }),
      labels: { ...labels, [managedByLabel]: managedBy, ...(spec?.clusterIP === 'None' && { [headlessLabel]: '' }) },
      annotations: { ...annotations, ...(truncated && { [overCapacity]: 'truncated' }) },
    },
    subsets,
  };
}

function isSame(current: Endpoints, desired: Endpoints): boolean {
  return (
    deepEqual(current.subsets ?? [], desired.subsets) &&
    deepEqual(current.metadata.labels, desired.metadata.labels) &&
    current.metadata.annotations?.[overCapacity] === desired.metadata.annotations?.[overCapacity]
  );
}
