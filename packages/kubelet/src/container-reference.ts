import { type Container, type ObjectReference, objectReference, type Pod } from '@coracle/api';

/** The object reference of an event about one container: the pod, and the field path of the container. */
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

/** References to nodes have only the name. */
export function nodeReference(name: string): ObjectReference {
  return { kind: 'Node', name, uid: name };
}
