import { type nodev1, type Pod, refs, type Toleration } from '@coracle/api';
import { forbidden } from '@coracle/apimachinery';
import { deepEqual, ownValue } from '@coracle/base';
import type { ObjectReader } from '../../registry/object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';

/** A pod that names a runtime class gets its overhead and is bound to the nodes that have it. */
export function runtimeClass({ objects }: { readonly objects: ObjectReader }): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    handles: ({ operation, resource, subresource }) =>
      resource.group === '' && resource.resource === 'pods' && subresource === '' && operation === 'CREATE',
    async mutate(attributes) {
      const pod = attributes.object as Pod;
      const found = await findClass(attributes, pod, objects);
      if (!found || !pod.spec) return;
      if (found.overhead?.podFixed) setOverhead(attributes, pod, found.overhead.podFixed);
      if (found.scheduling) setScheduling(attributes, pod, found.scheduling);
    },
    async validate(attributes) {
      const pod = attributes.object as Pod;
      const found = await findClass(attributes, pod, objects);
      if (pod.spec?.overhead && !deepEqual(pod.spec.overhead, found?.overhead?.podFixed)) {
        const why = found
          ? "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
          : 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';
        throw forbidden(attributes.resource, attributes.name, why);
      }
    },
  };
}

async function findClass(
  { resource, name }: AdmissionAttributes,
  pod: Pod,
  objects: ObjectReader,
): Promise<nodev1.RuntimeClass | undefined> {
  const className = pod.spec?.runtimeClassName;
  if (!className) return undefined;
  const found =
    objects.get(refs.runtimeClasses, '', className) ?? (await objects.getFresh(refs.runtimeClasses, '', className));
  if (!found) throw forbidden(resource, name, `pod rejected: RuntimeClass ${JSON.stringify(className)} not found`);
  return found;
}

function setOverhead({ resource, name }: AdmissionAttributes, pod: Pod, overhead: Record<string, string>): void {
  if (pod.spec?.overhead && !deepEqual(pod.spec.overhead, overhead)) {
    throw forbidden(resource, name, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
  if (pod.spec) pod.spec.overhead = { ...overhead };
}

function setScheduling({ resource, name }: AdmissionAttributes, pod: Pod, scheduling: nodev1.Scheduling): void {
  if (!pod.spec) return;
  const own = pod.spec.nodeSelector ?? {};
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const given = ownValue(own, key);
    if (given !== undefined && given !== value) {
      throw forbidden(
        resource,
        name,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${given}`,
      );
    }
  }
  if (scheduling.nodeSelector) pod.spec.nodeSelector = { ...scheduling.nodeSelector, ...own };
  const tolerations: readonly Toleration[] = pod.spec.tolerations ?? [];
  const added = (scheduling.tolerations ?? []).filter((one) => !tolerations.some((known) => deepEqual(known, one)));
  if (added.length > 0) pod.spec.tolerations = [...tolerations, ...added];
}
