import { type EndpointSlice, type Endpoints, refs, type Service } from '@coracle/api';
import { isNotFound, keyOf, type ObjectKey, splitObjectKey } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { addAfterBatch } from '../batch-period.js';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import {
  followSlices,
  indexSlicesByService,
  managedByLabel,
  type SliceOwner,
  type SliceWriting,
  serviceNameLabel,
  slicesOf,
  writeSlices,
} from '../endpointslice/write-slices.js';
import { freshnessTimeoutMs, OwnWrites } from '../own-writes.js';
import { retryLimiter } from '../retry-limiter.js';
import { triggerTimeAnnotation } from '../trigger-times.js';
import { type Mirrored, mirroredGroups } from './mirrored-groups.js';
import { MirroringMetrics } from './mirroring-metrics.js';

const managedBy = 'endpointslicemirroring-controller.k8s.io';
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** Maximum number of endpoints for one set of ports: they fit into one slice. */
const defaultMaxEndpoints = 1000;
const retries = { baseMs: 1000, maxMs: 100_000 };

export interface EndpointSliceMirroringOptions {
  /** `--mirroring-max-endpoints-per-subset`. */
  readonly maxEndpoints?: number | undefined;
  /** `--mirroring-endpointslice-updates-batch-period`: time for which changes of slices are batched. */
  readonly batchMs?: Millis | undefined;
}

/** Copies Endpoints of services without a selector, which users write, into slices. */
export function endpointSliceMirroringController(options: EndpointSliceMirroringOptions = {}): Controller {
  const { maxEndpoints = defaultMaxEndpoints, batchMs = 0 } = options;
  return {
    name: 'endpointslice-mirroring-controller',
    account: 'endpointslicemirroring-controller',
    component: 'endpoint-slice-mirroring-controller',
    start(context) {
      const { informers, clock } = context;
      const slices = informers.for(refs.endpointSlices);
      indexSlicesByService(context);
      const writes = new OwnWrites<EndpointSlice>(slices, clock);
      const metrics = new MirroringMetrics(context.metrics);
      return runKeyed(context, {
        name: 'endpoint_slice_mirroring',
        limiter: retryLimiter(clock, retries),
        watch: (queue) => [
          informers.for(refs.endpoints).addHandler(({ object }) => queue.add(keyOf(object))),
          informers.for(refs.services).addHandler(({ object }) => queue.add(keyOf(object))),
          followSlices(context, {
            managedBy,
            writes,
            queue: { ...queue, add: (key) => addAfterBatch(queue, key, batchMs) },
          }),
        ],
        async reconcile(key) {
          const startedAt = clock.now();
          try {
            return await reconcile(key, context, { writes, metrics, maxEndpoints });
          } finally {
            metrics.took(clock.now() - startedAt);
          }
        },
      });
    },
  };
}

interface Mirroring extends Pick<SliceWriting, 'writes'> {
  readonly metrics: MirroringMetrics;
  readonly maxEndpoints: number;
}

async function reconcile(
  key: ObjectKey,
  context: ControllerContext,
  { writes, metrics, maxEndpoints }: Mirroring,
): Promise<{ requeueAfterMs: Millis } | undefined> {
  if (!writes.isFresh(key)) return { requeueAfterMs: freshnessTimeoutMs };
  const { informers } = context;
  const endpoints = informers.for(refs.endpoints).get(key);
  const service = informers.for(refs.services).get(key);
  const existing = slicesOf(context, key, managedBy);
  if (!endpoints || !service || !isMirrored(endpoints, service)) {
    metrics.forget(key);
    await removeAll(existing, context, key);
    return undefined;
  }
  const mirrored = mirroredGroups(endpoints, maxEndpoints);
  metrics.skipped(mirrored.skipped);
  tellOfSkipped(endpoints, { ...mirrored, maxEndpoints }, context);
  const desired = { existing, groups: mirrored.groups, maxEndpoints };
  await writeSlices(context, ownerOf(endpoints), { desired, writes, metrics });
  return undefined;
}

function ownerOf(endpoints: Endpoints): SliceOwner {
  const {
    [triggerTimeAnnotation]: _time,
    [lastAppliedAnnotation]: _applied,
    ...annotations
  } = endpoints.metadata.annotations ?? {};
  return { object: endpoints, apiVersion: 'v1', kind: 'Endpoints', labels: labelsFor(endpoints), annotations };
}

function tellOfSkipped(
  endpoints: Endpoints,
  { invalid, skipped, maxEndpoints }: Mirrored & Pick<Mirroring, 'maxEndpoints'>,
  { recorder }: ControllerContext,
): void {
  const about = { ...endpoints, apiVersion: 'v1', kind: 'Endpoints' };
  if (invalid > 0) {
    const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
    recorder.event(about, 'Warning', 'InvalidIPAddress', message);
  }
  if (skipped > invalid) {
    const message = `A max of ${maxEndpoints} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
    recorder.event(about, 'Warning', 'TooManyAddressesToMirror', message);
  }
}

function isMirrored({ metadata }: Endpoints, { spec }: Service): boolean {
  if (metadata.labels?.[skipLabel] === 'true' || metadata.annotations?.[leaderAnnotation] !== undefined) return false;
  return Object.keys(spec?.selector ?? {}).length === 0;
}

function labelsFor({ metadata }: Endpoints): Record<string, string> {
  return { ...metadata.labels, [serviceNameLabel]: metadata.name ?? '', [managedByLabel]: managedBy };
}

/** The garbage collector may have deleted it first: it deletes slices with their Endpoints. */
async function removeAll(
  slices: readonly EndpointSlice[],
  { client }: ControllerContext,
  key: ObjectKey,
): Promise<void> {
  const { namespace } = splitObjectKey(key);
  const resource = client.resource(refs.endpointSlices, namespace);
  const removals = slices.map(({ metadata }) =>
    resource.delete(metadata.name ?? '').catch((error) => {
      if (!isNotFound(error)) throw error;
    }),
  );
  await Promise.all(removals);
}
