import { refs } from '@coracle/api';
import { rbacDefaults } from '../../generated/rbac-defaults.js';
import type { ObjectReader } from '../../object-reader.js';
import { valueInSelector } from '../../parse-request-info.js';
import type { UserInfo } from '../../user-info.js';
import type { AccessAttributes, Decision, LocalAuthorizer } from '../authorizer.js';
import { type PolicyRule, ruleAllows } from '../rbac/rule-match.js';
import { referencesOf } from './pod-references.js';

const allow: Decision = { kind: 'allow', reason: '' };
const readVerbs = ['get', 'list', 'watch'];
const ownVerbs = ['get', 'create', 'update', 'patch', 'delete'];

/** What any node may do; for the resources below it is narrowed to what is the node's own. */
const { rules: nodeRules = [] } = (rbacDefaults['ClusterRole']?.['system:node'] ?? {}) as {
  readonly rules?: readonly PolicyRule[];
};

/** Lets nodes do what a kubelet does, and read only what the pods bound to them refer to. */
export function nodeAuthorizer(objects: ObjectReader): LocalAuthorizer {
  return {
    name: 'Node',
    authorize(attributes) {
      const node = nodeNameOf(attributes.user);
      if (node === undefined) return noOpinion('');
      if (node === '') return noOpinion('unknown node');
      if (!attributes.isResourceRequest) return byRules(attributes);
      const narrow = narrowed[`${attributes.group}/${attributes.resource}`];
      return narrow ? narrow(attributes, node, objects) : byRules(attributes);
    },
  };
}

/** `undefined` for a user that is not a node; empty for a node without a name. */
function nodeNameOf({ name, groups }: UserInfo): string | undefined {
  const prefix = 'system:node:';
  if (!name.startsWith(prefix) || !groups.includes('system:nodes')) return undefined;
  return name.slice(prefix.length);
}

type Narrow = (attributes: AccessAttributes, node: string, objects: ObjectReader) => Decision;

const narrowed: Readonly<Record<string, Narrow>> = {
  '/secrets': related(readVerbs),
  '/configmaps': related(readVerbs),
  '/persistentvolumeclaims': (attributes, node, objects) =>
    related(attributes.subresource === 'status' ? ['update', 'patch'] : ['get'])(attributes, node, objects),
  '/persistentvolumes': (attributes, node, objects) => {
    if (attributes.verb !== 'get') return noOpinion('can only get individual resources of this type');
    const claim = objects.get(refs.persistentVolumes, '', attributes.name)?.spec?.claimRef;
    const used =
      claim &&
      isReferenced({
        objects,
        node,
        namespace: claim.namespace ?? '',
        reference: `persistentvolumeclaims/${claim.name}`,
      });
    return used ? allow : unrelated(node);
  },
  '/serviceaccounts': (attributes, node, objects) =>
    attributes.subresource === 'token' ? related(['create'])(attributes, node, objects) : byRules(attributes),
  'resource.k8s.io/resourceclaims': related(['get']),
  'certificates.k8s.io/podcertificaterequests': (attributes, node, objects) => {
    if (attributes.subresource !== '')
      return noOpinion('nodes may not access the status subresource of PodCertificateRequests');
    // What is requested is checked by the admission plugin NodeRestriction.
    if (attributes.verb === 'create') return byRules(attributes);
    const isOwn =
      attributes.verb === 'get' &&
      objects.get(refs.podCertificateRequests, attributes.namespace, attributes.name)?.spec.nodeName === node;
    if (isOwn || (attributes.verb !== 'get' && selects(attributes, 'spec.nodeName', node))) return byRules(attributes);
    if (attributes.verb === 'get') return unrelated(node);
    return noOpinion('can only list/watch podcertificaterequests with spec.nodeName field selector');
  },
  'storage.k8s.io/volumeattachments': (attributes, node, objects) => {
    if (attributes.verb !== 'get') return noOpinion('can only get individual resources of this type');
    return objects.get(refs.volumeAttachments, '', attributes.name)?.spec?.nodeName === node ? allow : unrelated(node);
  },
  'coordination.k8s.io/leases': (attributes, node) => {
    if (attributes.namespace !== 'kube-node-lease')
      return noOpinion('can only access leases in the "kube-node-lease" system namespace');
    return own(attributes, node, 'node lease');
  },
  'storage.k8s.io/csinodes': (attributes, node) => own(attributes, node, 'CSINode'),
  '/nodes': (attributes, node) => {
    const reads = readVerbs.includes(attributes.verb) && attributes.subresource === '';
    if (!reads || attributes.name === node || selects(attributes, 'metadata.name', node)) return byRules(attributes);
    return noOpinion(`node '${node}' cannot read '${attributes.name}', only its own Node object`);
  },
  '/pods': (attributes, node, objects) => {
    if (attributes.subresource !== '' || !readVerbs.includes(attributes.verb)) return byRules(attributes);
    const isOwn =
      attributes.verb === 'get' &&
      objects.get(refs.pods, attributes.namespace, attributes.name)?.spec?.nodeName === node;
    if (isOwn || selects(attributes, 'spec.nodeName', node)) return byRules(attributes);
    return noOpinion(
      attributes.verb === 'get'
        ? `no relationship found between node '${node}' and this object`
        : 'can only list/watch pods with spec.nodeName field selector',
    );
  },
};

/** Objects that a pod of the node refers to. */
function related(verbs: readonly string[]): Narrow {
  return (attributes, node, objects) => {
    if (!verbs.includes(attributes.verb)) return noOpinion(`can only ${verbs.join(', ')} resources of this type`);
    if (attributes.name === '') return noOpinion('No Object name found');
    const reference = `${attributes.resource}/${attributes.name}`;
    return isReferenced({ objects, node, namespace: attributes.namespace, reference }) ? allow : unrelated(node);
  };
}

function isReferenced({
  objects,
  node,
  namespace,
  reference,
}: {
  objects: ObjectReader;
  node: string;
  namespace: string;
  reference: string;
}): boolean {
  return objects
    .list(refs.pods, namespace)
    .some((pod) => pod.spec?.nodeName === node && referencesOf(pod).has(reference));
}

/** An object with the node's own name. On create the name may not be set yet. */
function own({ verb, name, subresource }: AccessAttributes, node: string, what: string): Decision {
  if (subresource !== '') return noOpinion(`cannot authorize ${what} subresources`);
  if (!ownVerbs.includes(verb)) return noOpinion(`can only ${ownVerbs.join(', ')} a ${what}`);
  return verb === 'create' || name === node
    ? allow
    : noOpinion(`can only access ${what} with the same name as the requesting node`);
}

function selects({ fieldSelector }: AccessAttributes, field: string, value: string): boolean {
  return valueInSelector(fieldSelector, field) === value;
}

function byRules(attributes: AccessAttributes): Decision {
  return nodeRules.some((rule) => ruleAllows(rule, attributes)) ? allow : noOpinion('');
}

function unrelated(node: string): Decision {
  return noOpinion(`no relationship found between node '${node}' and this object`);
}

function noOpinion(reason: string): Decision {
  return { kind: 'no-opinion', reason };
}
