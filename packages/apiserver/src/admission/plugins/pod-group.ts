import { refs, type schedulingv1alpha2 } from '@coracle/api';
import { andThen } from '@coracle/base';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import { refusal } from '../refusal.js';

const finalizer = 'scheduling.k8s.io/podgroup-protection';

function createsGroup({ operation, resource, subresource }: Parameters<AdmissionPlugin['handles']>[0]): boolean {
  return (
    operation === 'CREATE' &&
    subresource === '' &&
    resource.group === 'scheduling.k8s.io' &&
    resource.resource === 'podgroups'
  );
}

/** Protects pod groups that pods refer to. */
export const podGroupProtection: AdmissionPlugin = {
  name: 'PodGroupProtection',
  handles: createsGroup,
  mutate({ object }) {
    const finalizers = object?.metadata.finalizers ?? [];
    if (!object || finalizers.includes(finalizer)) return undefined;
    return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
  },
};

/** Checks that the template of a pod group exists. */
export function podGroupWorkloadExists({ objects }: { readonly objects: ObjectReader }): AdmissionPlugin {
  return {
    name: 'PodGroupWorkloadExists',
    handles: createsGroup,
    validate(attributes) {
      const { metadata, spec } = attributes.object as schedulingv1alpha2.PodGroup;
      const reference = spec.podGroupTemplateRef?.workload;
      if (!reference) return undefined;
      const namespace = metadata.namespace ?? '';
      const name = reference.workloadName;
      const workload =
        objects.get(refs.workloads, namespace, name) ?? objects.getFresh(refs.workloads, namespace, name);
      return andThen(workload, (found) => checkTemplate(attributes, reference, found));
    },
  };
}

function checkTemplate(
  attributes: AdmissionAttributes,
  { workloadName, podGroupTemplateName }: schedulingv1alpha2.WorkloadPodGroupTemplateReference,
  workload: schedulingv1alpha2.Workload | undefined,
): void {
  if (!workload) throw refusal(attributes, `PodGroup rejected: Workload ${JSON.stringify(workloadName)} not found`);
  if (workload.spec.podGroupTemplates?.some(({ name }) => name === podGroupTemplateName)) return;
  const missing = `PodGroupTemplate ${JSON.stringify(podGroupTemplateName)} not found in Workload`;
  throw refusal(attributes, `PodGroup rejected: ${missing} ${JSON.stringify(workloadName)}`);
}
