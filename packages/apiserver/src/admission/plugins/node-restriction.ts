import { type Lease, type Node, type PersistentVolumeClaim, type Pod, refs, type resourcev1 } from '@coracle/api';
import { forbidden } from '@coracle/apimachinery';
import { andThen, deepEqual, type MaybePromise } from '@coracle/base';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import { certificateProblem, podCertificateProblem } from './node-restriction-certificates.js';
import { mirrorPodProblem, modifiedNodeLabels, quoted, userPrefix } from './node-restriction-rules.js';
import { type RestrictionDependencies, tokenProblem } from './node-restriction-tokens.js';

const nodeGroup = 'system:nodes';
const leaseNamespace = 'kube-node-lease';

/** Why the node may not make this write; `undefined` if it may. */
type Rule = (
  attributes: AdmissionAttributes,
  nodeName: string,
  deps: RestrictionDependencies,
) => MaybePromise<string | undefined>;

/**
 * Allows a kubelet to change its own Node, and the pods bound to it with their objects, but nothing of other nodes.
 */
export function nodeRestriction(deps: RestrictionDependencies): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    handles: ({ resource, operation }) => operation !== 'CONNECT' && ruleFor(resource) !== undefined,
    concerns: ({ user }) => user.groups.includes(nodeGroup),
    validate(attributes) {
      const { user, resource, name } = attributes;
      if (!user.name.startsWith(userPrefix)) return undefined;
      const nodeName = user.name.slice(userPrefix.length);
      const refuse = (why: string) => forbidden(resource, name, why);
      if (nodeName === '') throw refuse(`could not determine node from user ${quoted(user.name)}`);
      return andThen(ruleFor(resource)?.(attributes, nodeName, deps), (problem) => {
        if (problem !== undefined) throw refuse(problem);
      });
    },
  };
}

function ruleFor({ group, resource }: AdmissionAttributes['resource']): Rule | undefined {
  return rules[`${group}/${resource}`];
}

const pods: Rule = (attributes, nodeName, { objects }) => {
  const { operation, subresource, object, oldObject, namespace, name } = attributes;
  if (subresource === 'status') return podStatus(attributes, nodeName);
  if (subresource === 'eviction') {
    const pod = objects.get(refs.pods, namespace, name);
    return pod && pod.spec?.nodeName !== nodeName
      ? `node ${nodeName} can only evict pods with spec.nodeName set to itself`
      : undefined;
  }
  if (subresource !== '')
    return `unexpected pod subresource ${quoted(subresource)}, only 'status' and 'eviction' are allowed`;
  if (operation === 'CREATE') return mirrorPodProblem(object as Pod, nodeName, objects);
  if (operation === 'DELETE') {
    return (oldObject as Pod).spec?.nodeName === nodeName
      ? undefined
      : `node ${quoted(nodeName)} can only delete pods with spec.nodeName set to itself`;
  }
  return `unexpected operation ${quoted(operation)}, node ${quoted(nodeName)} can only create and delete mirror pods`;
};

function podStatus({ object, oldObject }: AdmissionAttributes, nodeName: string): string | undefined {
  const [pod, previous] = [object as Pod, oldObject as Pod];
  if (previous.spec?.nodeName !== nodeName)
    return `node ${quoted(nodeName)} can only update pod status for pods with spec.nodeName set to itself`;
  if (!deepEqual(pod.metadata.labels ?? {}, previous.metadata.labels ?? {}))
    return `node ${quoted(nodeName)} cannot update labels through pod status`;
  return deepEqual(pod.status?.resourceClaimStatuses ?? [], previous.status?.resourceClaimStatuses ?? [])
    ? undefined
    : `node ${quoted(nodeName)} cannot update resource claim statues`;
}

const nodes: Rule = ({ operation, object, oldObject, name }, nodeName) => {
  const requested = name || (object?.metadata.name ?? '');
  if (requested !== nodeName) return `node ${quoted(nodeName)} is not allowed to modify node ${quoted(requested)}`;
  if (operation === 'CREATE') {
    const wrong = modifiedNodeLabels(object as Node, undefined);
    return wrong && `node ${quoted(nodeName)} is not allowed to set the following labels: ${wrong}`;
  }
  if (operation !== 'UPDATE') return undefined;
  const node = object as Node;
  const previous = oldObject as Node;
  if (!deepEqual(node.spec?.taints ?? [], previous.spec?.taints ?? []))
    return `node ${quoted(nodeName)} is not allowed to modify taints`;
  if (!deepEqual(node.metadata.ownerReferences ?? [], previous.metadata.ownerReferences ?? []))
    return `node ${quoted(nodeName)} is not allowed to modify ownerReferences`;
  const wrong = modifiedNodeLabels(node, previous);
  return wrong && `is not allowed to modify labels: ${wrong}`;
};

const leases: Rule = ({ namespace, name, object }, nodeName) => {
  if (namespace !== leaseNamespace) return `can only access leases in the ${quoted(leaseNamespace)} system namespace`;
  const requested = name || ((object as Lease | undefined)?.metadata.name ?? '');
  return requested === nodeName ? undefined : 'can only access node lease with the same name as the requesting node';
};

const csiNodes: Rule = ({ name, object }, nodeName) =>
  (name || (object?.metadata.name ?? '')) === nodeName
    ? undefined
    : 'can only access CSINode with the same name as the requesting node';

/** A node may report the progress of a volume expansion, and nothing else. */
const claims: Rule = ({ subresource, object, oldObject }, nodeName) => {
  if (subresource !== 'status') return 'may only update PVC status';
  const same = deepEqual(withoutGrowth(object), withoutGrowth(oldObject));
  return same
    ? undefined
    : `node ${quoted(nodeName)} is not allowed to update fields other than status.quantity and status.conditions`;
};

function withoutGrowth(object: AdmissionAttributes['object']): object {
  const { metadata, status = {}, ...rest } = object as PersistentVolumeClaim;
  const { resourceVersion: _version, managedFields: _managed, ...own } = metadata;
  const { capacity: _capacity, conditions: _conditions, ...otherStatus } = status;
  const { allocatedResources: _allocated, allocatedResourceStatuses: _steps, ...unrelated } = otherStatus;
  return { ...rest, metadata: own, status: unrelated };
}

const slices: Rule = ({ operation, object, oldObject }, nodeName) => {
  const slice = (operation === 'CREATE' ? object : oldObject) as resourcev1.ResourceSlice | undefined;
  if (operation === 'UPDATE' || slice?.spec?.nodeName === nodeName) return undefined;
  return `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
};

const rules: Readonly<Record<string, Rule>> = {
  '/pods': pods,
  '/nodes': nodes,
  '/persistentvolumeclaims': claims,
  '/serviceaccounts': tokenProblem,
  'certificates.k8s.io/certificatesigningrequests': certificateProblem,
  'certificates.k8s.io/podcertificaterequests': podCertificateProblem,
  'coordination.k8s.io/leases': leases,
  'resource.k8s.io/resourceslices': slices,
  'storage.k8s.io/csinodes': csiNodes,
};
