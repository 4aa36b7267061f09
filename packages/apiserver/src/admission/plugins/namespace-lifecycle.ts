import { type Namespace, refs } from '@coracle/api';
import { failure, forbidden, notFound } from '@coracle/apimachinery';
import { andThen } from '@coracle/base';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';

/** Namespaces that cannot be deleted. */
const immortal = new Set(['default', 'kube-system', 'kube-public']);

/** Rejects objects in namespaces that do not exist or are terminating, and the deletion of system namespaces. */
export function namespaceLifecycle({ objects }: { readonly objects: ObjectReader }): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    handles: ({ operation }) => operation !== 'CONNECT',
    // Runs before all other plugins: in a namespace that does not exist, no other error matters.
    mutate(attributes) {
      const { operation, resource, kind, namespace, name } = attributes;
      if (kind.group === '' && kind.kind === 'Namespace') {
        if (operation === 'DELETE' && immortal.has(name))
          throw forbidden(resource, name, 'this namespace may not be deleted');
        return undefined;
      }
      const exempt = namespace === '' || operation === 'DELETE' || resource.resource === 'localsubjectaccessreviews';
      if (exempt) return undefined;
      const namespaceObject =
        objects.get(refs.namespaces, '', namespace) ?? objects.getFresh(refs.namespaces, '', namespace);
      return andThen(namespaceObject, (found) => checkNamespace(attributes, found));
    },
  };
}

function checkNamespace(attributes: AdmissionAttributes, found: Namespace | undefined): undefined {
  if (!found) throw notFound({ group: '', resource: 'namespaces' }, attributes.namespace);
  if (attributes.operation === 'CREATE' && isTerminating(found)) throw beingTerminated(attributes);
}

function isTerminating(namespace: Namespace): boolean {
  return namespace.status?.phase === 'Terminating' || namespace.metadata.deletionTimestamp !== undefined;
}

function beingTerminated({ resource, namespace, name }: AdmissionAttributes): Error {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { message = '', details } = forbidden(resource, name, why).status;
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return failure('Forbidden', message, { ...details, causes: [cause] });
}
