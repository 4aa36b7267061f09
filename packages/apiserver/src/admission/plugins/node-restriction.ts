import { type authenticationv1, type Lease, type Node, type Pod, refs } from '@coracle/api';
import { forbidden, type KubeObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { ObjectReader } from '../../registry/object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import { mirrorPodProblem, nodeLabelProblem } from './node-restriction-rules.js';

const userPrefix = 'system:node:';
const nodeGroup = 'system:nodes';
const leaseNamespace = 'kube-node-lease';

/** Why the node may not do this; `undefined` if it may. */
type Rule = (attributes: AdmissionAttributes, nodeName: string, objects: ObjectReader) => string | undefined;

/** A kubelet changes its own node, its own pods and what hangs on them, and nothing of others. */
export function nodeRestriction({ objects }: { readonly objects: ObjectReader }): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    handles: ({ user, resource, operation }) =>
      operation !== 'CONNECT' && user.groups.includes(nodeGroup) && ruleFor(resource) !== undefined,
    validate(attributes) {
      const { user, resource, name } = attributes;
      if (!user.name.startsWith(userPrefix)) return;
      const nodeName = user.name.slice(userPrefix.length);
      const refuse = (why: string) => forbidden(resource, name, why);
      if (nodeName === '') throw refuse('could not determine node from user ""');
      const problem = ruleFor(resource)?.(attributes, nodeName, objects);
      if (problem !== undefined) throw refuse(problem);
    },
  };
}

function ruleFor({ group, resource }: AdmissionAttributes['resource']): Rule | undefined {
  return rules[`${group}/${resource}`];
}

const quoted = (text: string) => JSON.stringify(text);

const pods: Rule = (attributes, nodeName, objects) => {
  const { operation, subresource, object, oldObject, namespace, name } = attributes;
  if (subresource === 'status') return podStatus(attributes, nodeName);
  if (subresource === 'eviction') {
    const pod = objects.get(refs.pods, namespace, name);
    return pod && pod.spec?.nodeName !== nodeName ? otherPod(nodeName, 'evict', pod) : undefined;
  }
  if (subresource !== '')
    return `unexpected pod subresource ${quoted(subresource)}, only 'status' and 'eviction' are allowed`;
  if (operation === 'CREATE') return mirrorPodProblem(object as Pod, nodeName, objects);
  if (operation === 'DELETE') {
    const pod = oldObject as Pod;
    return pod.spec?.nodeName === nodeName ? undefined : otherPod(nodeName, 'delete', pod);
  }
  return `unexpected operation ${quoted(operation)}, node ${quoted(nodeName)} can only create and delete mirror pods`;
};

function otherPod(nodeName: string, verb: string, pod: Pod): string {
  return `node ${quoted(nodeName)} can only ${verb} pods with spec.nodeName set to itself, found ${quoted(pod.spec?.nodeName ?? '')}`;
}

function podStatus({ object, oldObject }: AdmissionAttributes, nodeName: string): string | undefined {
  const previous = oldObject as Pod;
  if (previous.spec?.nodeName !== nodeName)
    return `node ${quoted(nodeName)} can only update pod status for pods with spec.nodeName set to itself`;
  return deepEqual((object as Pod).metadata.labels, previous.metadata.labels)
    ? undefined
    : `node ${quoted(nodeName)} cannot update labels through pod status`;
}

const nodes: Rule = ({ operation, object, oldObject, name }, nodeName) => {
  const requested = name || (object?.metadata.name ?? '');
  if (requested !== nodeName) return `node ${quoted(nodeName)} is not allowed to modify node ${quoted(requested)}`;
  if (operation === 'CREATE') return nodeLabelProblem(nodeName, object as Node, undefined);
  if (operation !== 'UPDATE') return undefined;
  const node = object as Node;
  const previous = oldObject as Node;
  if (!deepEqual(node.spec?.taints ?? [], previous.spec?.taints ?? []))
    return `node ${quoted(nodeName)} is not allowed to modify taints`;
  if (!deepEqual(node.metadata.ownerReferences ?? [], previous.metadata.ownerReferences ?? []))
    return `node ${quoted(nodeName)} is not allowed to modify ownerReferences`;
  return nodeLabelProblem(nodeName, node, previous);
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

/** A token for a service account is given only for a pod of the node that uses that account. */
const tokens: Rule = ({ subresource, object, namespace, name }, nodeName, objects) => {
  if (subresource !== 'token') return undefined;
  const bound = (object as (KubeObject & authenticationv1.TokenRequest) | undefined)?.spec?.boundObjectRef;
  if (!bound) return 'node requested token not bound to a pod';
  if (bound.kind !== 'Pod' || bound.apiVersion !== 'v1')
    return `node requested token with wrong bound object kind: ${bound.kind ?? ''}`;
  if (!bound.uid) return 'node requested token with a pod binding without a uid';
  const pod = objects.get(refs.pods, namespace, bound.name ?? '');
  if (!pod) return `pod ${quoted(bound.name ?? '')} not found`;
  if (pod.metadata.uid !== bound.uid)
    return `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  if (pod.spec?.nodeName !== nodeName) return 'node requested token bound to a pod scheduled on a different node';
  return pod.spec.serviceAccountName === name ? undefined : 'node requested token for another service account';
};

const rules: Readonly<Record<string, Rule>> = {
  '/pods': pods,
  '/nodes': nodes,
  '/serviceaccounts': tokens,
  'coordination.k8s.io/leases': leases,
  'storage.k8s.io/csinodes': csiNodes,
};
