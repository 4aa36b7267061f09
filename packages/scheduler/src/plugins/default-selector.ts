import { refs } from '@coracle/api';
import { controllerOf, LabelSelector, type LabelSelectorObject } from '@coracle/apimachinery';
import type { InformerFactory } from '@coracle/client';
import type { DefaultSelector } from './pod-topology-spread.js';

/** The selector for spreading a pod without constraints: those of its services and of its controller combined. */
export function createDefaultSelector(informers: InformerFactory): DefaultSelector {
  const services = informers.for(refs.services);
  const owners = {
    ReplicaSet: informers.for(refs.replicaSets),
    StatefulSet: informers.for(refs.statefulSets),
    ReplicationController: informers.for(refs.replicationControllers),
  };
  return ({ pod, namespace, labels }) => {
    const matching = services
      .list(namespace)
      .filter(({ spec }) => spec?.selector && LabelSelector.fromLabels(spec.selector).matches(labels));
    const fromServices = Object.assign({}, ...matching.map(({ spec }) => spec?.selector)) as Record<string, string>;
    const owner = controllerOf(pod);
    const kind = owner?.kind as keyof typeof owners | undefined;
    const object =
      owner && kind && Object.hasOwn(owners, kind) ? owners[kind].get(`${namespace}/${owner.name}`) : undefined;
    const selector = object?.spec?.selector as LabelSelectorObject | Record<string, string> | undefined;
    if (matching.length === 0 && !selector) return undefined;
    if (!selector) return LabelSelector.fromLabels(fromServices);
    const own: LabelSelectorObject =
      kind === 'ReplicationController'
        ? { matchLabels: selector as Record<string, string> }
        : (selector as LabelSelectorObject);
    return LabelSelector.fromObject({ ...own, matchLabels: { ...own.matchLabels, ...fromServices } });
  };
}
