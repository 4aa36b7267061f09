import {
  amountsOf,
  type Container,
  type LimitRange,
  type LimitRangeItem,
  type PersistentVolumeClaim,
  type Pod,
  podResources,
  type ResourceAmounts,
  refs,
} from '@coracle/api';
import { aggregate, forbidden } from '@coracle/apimachinery';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import { type Amounts, breaches, breachesOfRequests } from './limit-ranger-checks.js';

/** Enforces the limit ranges of a namespace on containers, pods and claims, and sets their defaults. */
export function limitRanger({ objects }: { readonly objects: ObjectReader }): AdmissionPlugin {
  return {
    name: 'LimitRanger',
    handles({ operation, resource, subresource }) {
      if (resource.group !== '') return false;
      // The resources of an existing pod change only through its resize subresource.
      if (resource.resource === 'pods')
        return operation === 'CREATE' ? subresource === '' : operation === 'UPDATE' && subresource === 'resize';
      return (
        resource.resource === 'persistentvolumeclaims' &&
        subresource === '' &&
        (operation === 'CREATE' || operation === 'UPDATE')
      );
    },
    mutate(attributes) {
      if (attributes.resource.resource !== 'pods') return undefined;
      return limitRangesOf(attributes, objects)
        .flatMap(({ spec }) => spec?.limits ?? [])
        .filter(({ type }) => type === 'Container')
        .reduce(withDefaults, attributes.object as Pod);
    },
    validate(attributes) {
      for (const { spec } of limitRangesOf(attributes, objects)) {
        const errors = (spec?.limits ?? []).flatMap((item) => breachesOf(attributes, item));
        if (errors.length > 0) throw forbidden(attributes.resource, attributes.name, aggregate(errors));
      }
    },
  };
}

function limitRangesOf({ namespace, object }: AdmissionAttributes, objects: ObjectReader): readonly LimitRange[] {
  // An object that is being deleted may still be updated, to remove its finalizers.
  if (object?.metadata.deletionTimestamp) return [];
  return objects.list(refs.limitRanges, namespace);
}

function breachesOf({ resource, object }: AdmissionAttributes, item: LimitRangeItem): string[] {
  if (resource.resource === 'persistentvolumeclaims') {
    if (item.type !== 'PersistentVolumeClaim') return [];
    const requests = amountsOf((object as PersistentVolumeClaim).spec?.resources?.requests);
    return breachesOfRequests(item, requests);
  }
  const { spec } = object as Pod;
  if (!spec) return [];
  if (item.type === 'Pod') {
    // What the runtime class adds is not the pod's choice.
    const { overhead: _, ...own } = spec;
    return breaches(item, { requests: podResources(own, 'requests'), limits: podResources(own, 'limits') });
  }
  if (item.type !== 'Container') return [];
  return [...spec.containers, ...(spec.initContainers ?? [])].flatMap((container) =>
    breaches(item, amountsIn(container)),
  );
}

function amountsIn({ resources }: Container): Amounts {
  return { requests: amountsOf(resources?.requests), limits: amountsOf(resources?.limits) };
}

const annotation = 'kubernetes.io/limit-ranger';

function withDefaults(pod: Pod, item: LimitRangeItem): Pod {
  const { spec } = pod;
  if (!spec) return pod;
  const containers = spec.containers.map((container) => fill(container, item, 'container'));
  const initContainers = spec.initContainers?.map((container) => fill(container, item, 'init container'));
  const notes = [...containers, ...(initContainers ?? [])].flatMap((filled) => filled.notes);
  if (notes.length === 0) return pod;
  const annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${notes.join('; ')}` };
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: {
      ...spec,
      containers: containers.map(({ container }) => container),
      ...(initContainers && { initContainers: initContainers.map(({ container }) => container) }),
    },
  };
}

interface FilledContainer {
  readonly container: Container;
  /** The defaults that were set, as the annotation lists them. */
  readonly notes: readonly string[];
}

function fill(container: Container, item: LimitRangeItem, what: string): FilledContainer {
  const requests = missing(container.resources?.requests, amountsOf(item.defaultRequest));
  const limits = missing(container.resources?.limits, amountsOf(item.default));
  const note = (names: ResourceAmounts, side: string) =>
    names.size === 0 ? [] : [`${[...names.keys()].sort().join(', ')} ${side} for ${what} ${container.name}`];
  if (requests.size + limits.size === 0) return { container, notes: [] };
  const resources = {
    ...container.resources,
    ...(limits.size > 0 && { limits: { ...container.resources?.limits, ...toList(limits) } }),
    ...(requests.size > 0 && { requests: { ...container.resources?.requests, ...toList(requests) } }),
  };
  return {
    container: { ...container, resources },
    notes: [...note(requests, 'request'), ...note(limits, 'limit')],
  };
}

function missing(amounts: Readonly<Record<string, string>> = {}, defaults: ResourceAmounts): ResourceAmounts {
  return new Map([...defaults].filter(([name]) => !Object.hasOwn(amounts, name)));
}

function toList(amounts: ResourceAmounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, amount.toString()]));
}
