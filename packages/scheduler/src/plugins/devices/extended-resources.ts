import {
  type Container,
  type corev1,
  deviceClassPrefix,
  extendedClaimAnnotation,
  type Pod,
  type resourcev1,
} from '@coracle/api';
import { controllerOf, type ObjectKey, parseQuantity } from '@coracle/apimachinery';

type RequestMapping = corev1.ContainerExtendedResourceRequest;

/** The extended resources of a pod that devices must provide on a node, with the requests that containers use. */
export interface ExtendedClaim {
  readonly claim: resourcev1.ResourceClaim;
  readonly mappings: readonly RequestMapping[];
}

export interface ExtendedRequest {
  readonly pod: Pod;
  /** By name of the resource: the device class that provides it. */
  readonly classes: ReadonlyMap<string, string>;
}

/** Temporary name of the claim of a pod until it has been created. */
export function provisionalKey(namespace: string, podUid: string): ObjectKey {
  return `${namespace}/<extended-resources>${podUid}`;
}

/** The pod for whose extended resources a claim was created. */
export function extendedClaimOwner(claim: resourcev1.ResourceClaim): string | undefined {
  return claim.metadata.annotations?.[extendedClaimAnnotation] === 'true' ? controllerOf(claim)?.uid : undefined;
}

/** Of several classes that provide the same resource, the newest is used, then the first by name. */
export function classesByResource(classes: readonly resourcev1.DeviceClass[]): Map<string, string> {
  const found = new Map<string, string>();
  const made = ({ metadata }: resourcev1.DeviceClass) => metadata.creationTimestamp ?? '';
  const nameOf = ({ metadata }: resourcev1.DeviceClass) => metadata.name ?? '';
  const sorted = [...classes].sort((a, b) =>
    made(a) === made(b) ? compare(nameOf(a), nameOf(b)) : compare(made(b), made(a)),
  );
  for (const one of sorted) {
    const { extendedResourceName } = one.spec;
    if (extendedResourceName && !found.has(extendedResourceName)) found.set(extendedResourceName, nameOf(one));
    found.set(`${deviceClassPrefix}${nameOf(one)}`, nameOf(one));
  }
  return found;
}

/** The claim for the resources in `classes`, as it will be created. */
export function extendedClaim({ pod, classes }: ExtendedRequest): ExtendedClaim {
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  const deviceRequests = [...classes]
    .sort(([a], [b]) => compare(a, b))
    .map(([resource]) => requestsFor(pod, resource, classes));
  const requests = deviceRequests.flatMap((one) => one.requests).sort((a, b) => compare(a.name, b.name));
  return {
    claim: {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: {
        name: provisionalKey(namespace, uid).slice(namespace.length + 1),
        namespace,
        uid: `extended-resources-of-${uid}`,
        generateName: `${name}-extended-resources-`,
        annotations: { [extendedClaimAnnotation]: 'true' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
      },
      spec: { devices: { requests } },
    },
    mappings: deviceRequests.flatMap((one) => one.mappings),
  };
}

/** The same claim without the name and uid that it has before it is created. */
export function toCreate({ metadata, ...claim }: resourcev1.ResourceClaim): resourcev1.ResourceClaim {
  const { name: _name, uid: _uid, ...rest } = metadata;
  return { ...claim, metadata: rest };
}

interface Wanted {
  readonly requests: readonly resourcev1.DeviceRequest[];
  readonly mappings: readonly RequestMapping[];
}

/**
 * Containers that run concurrently have a request each. An init container that ends uses the devices of later ones, and
 * requests only what it needs beyond those; such containers run one after the other and share the largest request.
 */
function requestsFor({ spec }: Pod, resource: string, classes: ReadonlyMap<string, string>): Wanted {
  const { initContainers = [], containers = [] } = spec ?? {};
  const all = [...initContainers, ...containers].map((container, index) => ({
    container,
    index,
    runsOn: index >= initContainers.length || container.restartPolicy === 'Always',
    count: countOf(container, resource),
  }));
  const asking = all.filter(({ count }) => count > 0);
  const request = ({ container, index }: (typeof all)[number], count: number): resourcev1.DeviceRequest => ({
    name: `container-${index}-request-${Object.keys(container.resources?.requests ?? {})
      .sort()
      .indexOf(resource)}`,
    exactly: { deviceClassName: classes.get(resource) ?? '', allocationMode: 'ExactCount', count },
  });
  const lasting = asking.filter(({ runsOn }) => runsOn).map((one) => ({ ...one, request: request(one, one.count) }));
  const brief = asking
    .filter(({ runsOn }) => !runsOn)
    .map((one) => {
      const { used, left } = borrow(
        lasting.filter(({ index }) => index > one.index),
        one.count,
      );
      return { container: one.container, used, left, ...(left > 0 && { own: request(one, left) }) };
    });
  const largest = brief.reduce<(typeof brief)[number] | undefined>(
    (most, one) => (one.left > (most?.left ?? 0) ? one : most),
    undefined,
  )?.own;
  const mapping = (container: Container, requestName: string): RequestMapping => ({
    containerName: container.name,
    resourceName: resource,
    requestName,
  });
  return {
    requests: [...(largest ? [largest] : []), ...lasting.map((one) => one.request)],
    mappings: [
      ...lasting.map((one) => mapping(one.container, one.request.name)),
      ...brief.flatMap(({ container, used, own }) =>
        [...used, ...(own && largest ? [largest.name] : [])].map((name) => mapping(container, name)),
      ),
    ],
  };
}

/** The requests whose devices a container can use before their own containers start, and how many are missing. */
function borrow(
  later: readonly { readonly request: resourcev1.DeviceRequest; readonly count: number }[],
  amount: number,
): { readonly used: readonly string[]; readonly left: number } {
  const used: string[] = [];
  let left = amount;
  for (const { request, count } of later) {
    if (left <= 0) break;
    used.push(request.name);
    left -= count;
  }
  return { used, left: Math.max(0, left) };
}

function countOf({ resources }: Container, name: string): number {
  const text = resources?.requests?.[name];
  return text === undefined ? 0 : parseQuantity(text).value();
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
