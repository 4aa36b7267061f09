import { type Pod, refs, type Service } from '@coracle/api';
import { LabelSelector } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { InformerEvent, InformerFactory } from '@coracle/client';

/** Services are indexed by one label of their selector, so that an event of a pod is not matched with all of them. */
const byLabel = 'selected-label';

export function indexServicesByLabel(informers: InformerFactory): void {
  informers.for(refs.services).addIndex(byLabel, selectedLabel);
}

function selectedLabel({ metadata, spec }: Service): readonly string[] {
  const [first] = Object.entries(spec?.selector ?? {});
  return first ? [indexValue(metadata.namespace, first)] : [];
}

function indexValue(namespace: string | undefined, [key, value]: readonly [string, string]): string {
  return `${namespace ?? ''}/${key}=${value}`;
}

/** The services that select a pod with these labels. */
function servicesOf(informers: InformerFactory, { metadata }: Pod): Service[] {
  const { labels = {}, namespace } = metadata;
  const services = informers.for(refs.services);
  const selecting: Service[] = [];
  for (const label of Object.entries(labels)) {
    for (const service of services.byIndex(byLabel, indexValue(namespace, label))) {
      if (LabelSelector.fromLabels(service.spec?.selector).matches(labels)) selecting.push(service);
    }
  }
  return selecting;
}

/** The services whose endpoints a change of a pod may affect, including those of its old labels. */
export function servicesTouchedBy(informers: InformerFactory, event: InformerEvent<Pod>): readonly Service[] {
  if (event.type !== 'updated') return servicesOf(informers, event.object);
  const { object, previous } = event;
  const relabeled = !deepEqual(object.metadata.labels, previous.metadata.labels);
  if (!relabeled && deepEqual(endpointView(object), endpointView(previous))) return [];
  const now = servicesOf(informers, object);
  return relabeled ? [...new Set([...now, ...servicesOf(informers, previous)])] : now;
}

/** The fields of a pod that affect its endpoint. */
function endpointView({ metadata, spec, status }: Pod): unknown {
  return [
    metadata.uid,
    metadata.deletionTimestamp === undefined,
    spec?.nodeName,
    spec?.hostname,
    spec?.subdomain,
    status?.phase,
    status?.podIPs,
    status?.conditions?.find(({ type }) => type === 'Ready')?.status,
  ];
}

/** Pods that a service sends traffic to, whatever their state. */
export function podsOf(informers: InformerFactory, { metadata, spec }: Service): readonly Pod[] {
  const selector = LabelSelector.fromLabels(spec?.selector);
  return informers
    .for(refs.pods)
    .list(metadata.namespace)
    .filter((pod) => selector.matches(pod.metadata.labels));
}

/** Whether a controller manages the endpoints of the service. Others are managed by users. */
export function selectsPods({ spec }: Service): boolean {
  return spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0;
}
