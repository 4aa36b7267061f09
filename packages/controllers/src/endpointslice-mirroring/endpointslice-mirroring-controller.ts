import { type EndpointSlice, type Endpoints, refs, type Service } from '@coracle/api';
import { keyOf, type ObjectKey, splitObjectKey } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import {
  followSlices,
  indexSlicesByService,
  managedByLabel,
  serviceNameLabel,
  slicesOf,
  writeSlices,
} from '../endpointslice/write-slices.js';
import { freshnessTimeoutMs, OwnWrites } from '../own-writes.js';
import { triggerTimeAnnotation } from '../trigger-times.js';
import { mirroredGroups } from './mirrored-groups.js';

const managedBy = 'endpointslicemirroring-controller.k8s.io';
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';
const maxEndpoints = 1000;

/** Copies endpoints that people write by hand, for services without a selector, into slices. */
export const endpointSliceMirroringController: Controller = {
  name: 'endpointslice-mirroring-controller',
  account: 'endpointslicemirroring-controller',
  component: 'endpoint-slice-mirroring-controller',
  start(context) {
    const { informers, clock } = context;
    const slices = informers.for(refs.endpointSlices);
    indexSlicesByService(context);
    const writes = new OwnWrites<EndpointSlice>(slices, clock);
    return runKeyed(context, {
      name: 'endpoint_slice_mirroring',
      watch: (queue) => [
        informers.for(refs.endpoints).addHandler(({ object }) => queue.add(keyOf(object))),
        informers.for(refs.services).addHandler(({ object }) => queue.add(keyOf(object))),
        followSlices(context, { managedBy, writes, queue }),
      ],
      reconcile: (key) => reconcile(key, context, writes),
    });
  },
};

async function reconcile(
  key: ObjectKey,
  context: ControllerContext,
  writes: OwnWrites<EndpointSlice>,
): Promise<{ requeueAfterMs: Millis } | undefined> {
  if (!writes.isFresh(key)) return { requeueAfterMs: freshnessTimeoutMs };
  const { informers } = context;
  const endpoints = informers.for(refs.endpoints).get(key);
  const service = informers.for(refs.services).get(key);
  const existing = slicesOf(context, key, managedBy);
  if (!endpoints || !service || !isMirrored(endpoints, service)) {
    await removeAll(existing, context, key);
    return undefined;
  }
  const { [triggerTimeAnnotation]: triggerTime } = endpoints.metadata.annotations ?? {};
  const owner = { object: endpoints, apiVersion: 'v1', kind: 'Endpoints', labels: labelsFor(endpoints), triggerTime };
  const wanted = { existing, groups: mirroredGroups(endpoints), maxEndpoints };
  await writeSlices(context, owner, { wanted, writes });
  return undefined;
}

function isMirrored({ metadata }: Endpoints, { spec }: Service): boolean {
  if (metadata.labels?.[skipLabel] === 'true' || metadata.annotations?.[leaderAnnotation] !== undefined) return false;
  return Object.keys(spec?.selector ?? {}).length === 0;
}

function labelsFor({ metadata }: Endpoints): Record<string, string> {
  return { ...metadata.labels, [serviceNameLabel]: metadata.name ?? '', [managedByLabel]: managedBy };
}

async function removeAll(
  slices: readonly EndpointSlice[],
  { client }: ControllerContext,
  key: ObjectKey,
): Promise<void> {
  const { namespace } = splitObjectKey(key);
  const resource = client.resource(refs.endpointSlices, namespace);
  await Promise.all(slices.map(({ metadata }) => resource.delete(metadata.name ?? '')));
}
