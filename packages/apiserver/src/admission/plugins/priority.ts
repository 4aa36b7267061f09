import { type Pod, type PodSpec, type PriorityClass, refs, type schedulingv1alpha2 } from '@coracle/api';
import { addFields, andThen, type MaybePromise } from '@coracle/base';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import { refusal } from '../refusal.js';

const defaultPreemptionPolicy = 'PreemptLowerPriority';

/**
 * Resolves the priority class name of a pod or pod group to its value, and rejects a second default class. The value of
 * a pod group is dropped while the gate WorkloadAwarePreemption is off.
 */
export function priority({ objects }: { readonly objects: ObjectReader }): AdmissionPlugin {
  return {
    name: 'Priority',
    handles: ({ operation, resource, subresource }) => {
      if (subresource !== '' || (operation !== 'CREATE' && operation !== 'UPDATE')) return false;
      if (resource.group === '') return resource.resource === 'pods';
      if (resource.group !== 'scheduling.k8s.io') return false;
      return resource.resource === 'priorityclasses' || (resource.resource === 'podgroups' && operation === 'CREATE');
    },
    mutate(attributes) {
      const { resource, operation } = attributes;
      if (resource.resource === 'podgroups') return setGroupPriority(attributes, objects);
      if (resource.resource !== 'pods') return undefined;
      return operation === 'UPDATE' ? keepPriority(attributes) : setPriority(attributes, objects);
    },
    validate(attributes) {
      if (attributes.resource.resource === 'priorityclasses') refuseSecondDefault(attributes, objects);
    },
  };
}

/** An update without the fields that this plugin sets does not remove them. */
function keepPriority({ object, oldObject }: AdmissionAttributes): Pod | undefined {
  const pod = object as Pod;
  const { spec } = pod;
  const { priority: number, preemptionPolicy } = (oldObject as Pod | undefined)?.spec ?? {};
  const missesNumber = spec?.priority === undefined && number !== undefined;
  const missesPolicy = spec?.preemptionPolicy === undefined && preemptionPolicy !== undefined;
  if (!spec || !(missesNumber || missesPolicy)) return undefined;
  return {
    ...pod,
    spec: { ...spec, ...(missesNumber && { priority: number }), ...(missesPolicy && { preemptionPolicy }) },
  };
}

function setGroupPriority(
  attributes: AdmissionAttributes,
  objects: ObjectReader,
): MaybePromise<schedulingv1alpha2.PodGroup> {
  const group = attributes.object as schedulingv1alpha2.PodGroup;
  const { spec } = group;
  return andThen(chooseClass(attributes, spec.priorityClassName, objects), (chosen) => {
    const value = chosen?.value ?? 0;
    refuseOther(attributes, 'integer value of priority', { stated: spec.priority, computed: value });
    const priorityClassName = chosen?.metadata.name;
    return { ...group, spec: { ...spec, ...(priorityClassName && { priorityClassName }), priority: value } };
  });
}

function setPriority(attributes: AdmissionAttributes, objects: ObjectReader): MaybePromise<Pod | undefined> {
  const { spec } = attributes.object as Pod;
  if (!spec) return undefined;
  const chosen = chooseClass(attributes, spec.priorityClassName, objects);
  return andThen(chosen, (one) => withPriority(attributes, spec, one));
}

function withPriority(attributes: AdmissionAttributes, spec: PodSpec, chosen: PriorityClass | undefined): Pod {
  const pod = attributes.object as Pod;
  const value = chosen?.value ?? 0;
  const policy = chosen?.preemptionPolicy ?? defaultPreemptionPolicy;
  refuseOther(attributes, 'integer value of priority', { stated: spec.priority, computed: value });
  refuseOther(attributes, 'string value of PreemptionPolicy', { stated: spec.preemptionPolicy, computed: policy });
  const priorityClassName = chosen?.metadata.name;
  return {
    ...pod,
    spec: addFields(priorityClassName ? addFields(spec, { priorityClassName }) : spec, {
      priority: value,
      preemptionPolicy: policy,
    }),
  };
}

function refuseOther(
  attributes: AdmissionAttributes,
  what: string,
  { stated, computed }: { stated: unknown; computed: unknown },
): void {
  if (stated === undefined || stated === computed) return;
  const why = `the ${what} (${stated}) must not be provided in ${attributes.resource.resource === 'pods' ? 'pod' : 'pod group'} spec; priority admission controller computed ${computed} from the given PriorityClass name`;
  throw refusal(attributes, why);
}

function chooseClass(
  attributes: AdmissionAttributes,
  className: string | undefined,
  objects: ObjectReader,
): MaybePromise<PriorityClass | undefined> {
  if (!className) return defaultClass(objects);
  const priorityClass =
    objects.get(refs.priorityClasses, '', className) ?? objects.getFresh(refs.priorityClasses, '', className);
  return andThen(priorityClass, (found) => {
    if (!found) throw refusal(attributes, `no PriorityClass with name ${className} was found`);
    return found;
  });
}

/** The lowest of several default classes. */
function defaultClass(objects: ObjectReader): PriorityClass | undefined {
  let lowest: PriorityClass | undefined;
  for (const one of objects.list(refs.priorityClasses))
    if (one.globalDefault && (!lowest || (one.value ?? 0) < (lowest.value ?? 0))) lowest = one;
  return lowest;
}

function refuseSecondDefault(attributes: AdmissionAttributes, objects: ObjectReader): void {
  const priorityClass = attributes.object as PriorityClass;
  const other =
    priorityClass.globalDefault &&
    objects
      .list(refs.priorityClasses)
      .find((one) => one.globalDefault && one.metadata.name !== priorityClass.metadata.name);
  if (!other) return;
  throw refusal(
    attributes,
    `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
  );
}
