import { type nodev1, type Pod, type PodSpec, refs, type Toleration } from '@coracle/api';
import { andThen, deepEqual, type MaybePromise, ownValue } from '@coracle/base';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import { refusal } from '../refusal.js';

/** Adds the overhead, node selector and tolerations of its runtime class to a pod. */
export function runtimeClass({ objects }: { readonly objects: ObjectReader }): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    handles: ({ operation, resource, subresource }) =>
      resource.group === '' && resource.resource === 'pods' && subresource === '' && operation === 'CREATE',
    mutate: (attributes) => andThen(findClass(attributes, objects), (found) => withClass(attributes, found)),
    validate: (attributes) => andThen(findClass(attributes, objects), (found) => checkOverhead(attributes, found)),
  };
}

function withClass(attributes: AdmissionAttributes, found: nodev1.RuntimeClass | undefined): Pod | undefined {
  const pod = attributes.object as Pod;
  if (!found || !pod.spec) return undefined;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ...(found.overhead?.podFixed && { overhead: overheadOf(attributes, pod.spec, found.overhead.podFixed) }),
      ...(found.scheduling && schedulingOf(attributes, pod.spec, found.scheduling)),
    },
  };
}

function checkOverhead(attributes: AdmissionAttributes, found: nodev1.RuntimeClass | undefined): void {
  const { spec } = attributes.object as Pod;
  if (!spec?.overhead || deepEqual(spec.overhead, found?.overhead?.podFixed)) return;
  const why = found
    ? "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
    : 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';
  throw refusal(attributes, why);
}

function findClass(
  attributes: AdmissionAttributes,
  objects: ObjectReader,
): MaybePromise<nodev1.RuntimeClass | undefined> {
  const className = (attributes.object as Pod).spec?.runtimeClassName;
  if (!className) return undefined;
  const runtimeClass =
    objects.get(refs.runtimeClasses, '', className) ?? objects.getFresh(refs.runtimeClasses, '', className);
  return andThen(runtimeClass, (found) => {
    if (!found) throw refusal(attributes, `pod rejected: RuntimeClass ${JSON.stringify(className)} not found`);
    return found;
  });
}

function overheadOf(
  attributes: AdmissionAttributes,
  spec: PodSpec,
  overhead: Record<string, string>,
): Record<string, string> {
  if (spec.overhead && !deepEqual(spec.overhead, overhead)) {
    throw refusal(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
  return { ...overhead };
}

function schedulingOf(
  attributes: AdmissionAttributes,
  spec: PodSpec,
  scheduling: nodev1.Scheduling,
): Pick<PodSpec, 'nodeSelector' | 'tolerations'> {
  const own = spec.nodeSelector ?? {};
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const ownAmount = ownValue(own, key);
    if (ownAmount !== undefined && ownAmount !== value) {
      throw refusal(
        attributes,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${ownAmount}`,
      );
    }
  }
  const tolerations: readonly Toleration[] = spec.tolerations ?? [];
  const added = (scheduling.tolerations ?? []).filter(
    (one) => !tolerations.some((toleration) => deepEqual(toleration, one)),
  );
  return {
    ...(scheduling.nodeSelector && { nodeSelector: { ...scheduling.nodeSelector, ...own } }),
    ...(added.length > 0 && { tolerations: [...tolerations, ...added] }),
  };
}
