import type { Container, LifecycleHandler, Pod } from '@coracle/api';
import { readJson, writeJson } from '@coracle/apimachinery';

/** The labels of every sandbox and container of a pod, by which the kubelet identifies them. */
const podNameLabel = 'io.kubernetes.pod.name';
const podNamespaceLabel = 'io.kubernetes.pod.namespace';
export const podUidLabel = 'io.kubernetes.pod.uid';
const containerNameLabel = 'io.kubernetes.container.name';

export const containerAnnotation = 'io.kubernetes.container.';
const preStopAnnotation = `${containerAnnotation}preStopHandler`;
const graceAnnotation = 'io.kubernetes.pod.terminationGracePeriod';
const deletionGraceAnnotation = 'io.kubernetes.pod.deletionGracePeriod';

export function podLabels({ metadata }: Pod): Record<string, string> {
  return {
    [podNameLabel]: metadata.name ?? '',
    [podNamespaceLabel]: metadata.namespace ?? '',
    [podUidLabel]: metadata.uid ?? '',
  };
}

export function containerLabels(pod: Pod, container: Container): Record<string, string> {
  return { ...podLabels(pod), [containerNameLabel]: container.name };
}

/** Selects the sandboxes and containers of a pod, or one container by name. */
export function podSelector(of: { readonly namespace: string; readonly pod: string; readonly container?: string }) {
  return {
    [podNameLabel]: of.pod,
    [podNamespaceLabel]: of.namespace,
    ...(of.container !== undefined && { [containerNameLabel]: of.container }),
  };
}

export function containerAnnotations(pod: Pod, container: Container, restartCount: number): Record<string, string> {
  const { deletionGracePeriodSeconds } = pod.metadata;
  const grace = pod.spec?.terminationGracePeriodSeconds;
  return {
    [`${containerAnnotation}hash`]: hashOf(container),
    [`${containerAnnotation}restartCount`]: String(restartCount),
    [`${containerAnnotation}terminationMessagePath`]: container.terminationMessagePath ?? '',
    [`${containerAnnotation}terminationMessagePolicy`]: container.terminationMessagePolicy ?? '',
    ...(container.lifecycle?.preStop && { [preStopAnnotation]: writeJson(container.lifecycle.preStop) }),
    ...(grace !== undefined && { [graceAnnotation]: String(grace) }),
    ...(deletionGracePeriodSeconds !== undefined && { [deletionGraceAnnotation]: String(deletionGracePeriodSeconds) }),
  };
}

/** The sandboxes or containers of a pod in a listing. */
interface Labelled {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The names of the container, and of its pod. */
export function containerOf({ labels = {} }: Labelled) {
  return {
    namespace: labels[podNamespaceLabel] ?? '',
    pod: labels[podNameLabel] ?? '',
    uid: labels[podUidLabel] ?? '',
    container: labels[containerNameLabel] ?? '',
  };
}

/** A pod rebuilt from the labels and annotations of its sandboxes and containers: enough to stop it gracefully. */
export function restorePod(sandboxes: readonly Labelled[], containers: readonly Labelled[]): Pod {
  const labels = { ...sandboxes[0]?.labels, ...containers[0]?.labels };
  const annotations = containers[0]?.annotations ?? {};
  const grace = annotations[graceAnnotation];
  const deletionGrace = annotations[deletionGraceAnnotation];
  return {
    metadata: {
      name: labels[podNameLabel] ?? '',
      namespace: labels[podNamespaceLabel] ?? '',
      uid: labels[podUidLabel] ?? '',
      ...(deletionGrace !== undefined && { deletionGracePeriodSeconds: Number(deletionGrace) }),
    },
    spec: {
      containers: containers.map(restoreContainer),
      ...(grace !== undefined && { terminationGracePeriodSeconds: Number(grace) }),
    },
  };
}

function restoreContainer({ labels, annotations }: Labelled): Container {
  const name = labels?.[containerNameLabel] ?? '';
  const preStop = annotations?.[preStopAnnotation];
  // Written by a kubelet, from a hook that the API had taken.
  return preStop === undefined ? { name } : { name, lifecycle: { preStop: readJson(preStop) as LifecycleHandler } };
}

export function hashOfRunning(annotations: Readonly<Record<string, string>> = {}): string | undefined {
  return annotations[`${containerAnnotation}hash`];
}

/** Changes when the container must be replaced: the image is the only field that a running pod may change. */
export function hashOf({ name, image = '' }: Container): string {
  let hash = 0x811c9dc5;
  for (const char of `${name}\n${image}`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16);
}
