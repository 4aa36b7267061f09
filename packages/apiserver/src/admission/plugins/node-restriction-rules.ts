import { type Node, type Pod, refs } from '@coracle/api';
import { notFound, type OwnerReference } from '@coracle/apimachinery';
import type { ObjectReader } from '../../object-reader.js';
import { apiReference } from './api-references.js';

/** Prefix of the user names of kubelets; the name of the node follows. */
export const userPrefix = 'system:node:';
export const mirrorAnnotation = 'kubernetes.io/config.mirror';
export const quoted = (text = '') => JSON.stringify(text);

/** A node may create only the mirror pods of its static pods, and these must not refer to API objects. */
export function mirrorPodProblem(pod: Pod, nodeName: string, objects: ObjectReader): string | undefined {
  const { metadata, spec } = pod;
  if (metadata.annotations?.[mirrorAnnotation] === undefined)
    return `pod does not have ${quoted(mirrorAnnotation)} annotation, node ${quoted(nodeName)} can only create mirror pods`;
  if (spec?.nodeName !== nodeName)
    return `node ${quoted(nodeName)} can only create pods with spec.nodeName set to itself`;
  const wrongOwner = ownerProblem(metadata.ownerReferences ?? [], nodeName, objects);
  if (wrongOwner !== undefined) return wrongOwner;
  const reference = apiReference(pod);
  return reference && `node ${quoted(nodeName)} can not create pods that reference ${reference}`;
}

function ownerProblem(
  [owner, another]: readonly OwnerReference[],
  nodeName: string,
  objects: ObjectReader,
): string | undefined {
  const only = `node ${quoted(nodeName)} can only create pods with`;
  if (another) return `${only} a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== nodeName)
    return `${only} an owner reference set to itself`;
  if (!owner.controller) return `${only} a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion) return `node ${quoted(nodeName)} must not set blockOwnerDeletion on an owner reference`;
  const node = objects.get(refs.nodes, '', nodeName);
  if (!node) throw notFound({ group: '', resource: 'nodes' }, nodeName);
  return owner.uid === node.metadata.uid
    ? undefined
    : `node ${nodeName} UID mismatch: expected ${owner.uid} got ${node.metadata.uid}`;
}

/** Labels of Kubernetes itself that a kubelet may set. */
const allowedLabels: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'node.kubernetes.io/windows-build',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);
const allowedNamespaces = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

/**
 * The changed labels that a node may not set on itself, for a message; `undefined` if there are none. Labels attract
 * pods, so a node may set only some.
 */
export function modifiedNodeLabels(node: Node, previous: Node | undefined): string | undefined {
  const labels = node.metadata.labels ?? {};
  const before = previous?.metadata.labels ?? {};
  const changed = [...new Set([...Object.keys(labels), ...Object.keys(before)])].filter(
    (key) => labels[key] !== before[key],
  );
  const wrong = changed.filter((key) => !mayLabel(key)).sort();
  return wrong.length === 0 ? undefined : wrong.join(', ');
}

function mayLabel(key: string): boolean {
  const slash = key.indexOf('/');
  const namespace = slash < 0 ? '' : key.slice(0, slash);
  const within = (domain: string) => namespace === domain || namespace.endsWith(`.${domain}`);
  if (within('node-restriction.kubernetes.io')) return false;
  if (!within('kubernetes.io') && !within('k8s.io')) return true;
  return allowedLabels.has(key) || allowedNamespaces.some(within);
}
