import { type Container, type ObjectReference, objectReference, type Pod } from '@coracle/api';

/** What an event about one container of a pod refers to: the pod, and the field that the container is in. */
export function containerReference(pod: Pod, { name }: Container): ObjectReference {
  const { spec } = pod;
  const list = spec?.initContainers?.some((one) => one.name === name)
    ? 'initContainers'
    : spec?.ephemeralContainers?.some((one) => one.name === name)
      ? 'ephemeralContainers'
      : 'containers';
  return { ...podReference(pod), fieldPath: `spec.${list}{${name}}` };
}

export function podReference({ metadata }: Pod): ObjectReference {
  return objectReference({ apiVersion: 'v1', kind: 'Pod', metadata });
}

/** Nodes are referred to by their name alone. */
export function nodeReference(name: string): ObjectReference {
  return { kind: 'Node', name, uid: name };
}
