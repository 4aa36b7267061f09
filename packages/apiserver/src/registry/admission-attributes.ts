import type { KubeObject } from '@coracle/apimachinery';
import type { AdmissionOperation, AttributesOf } from '../admission/admission.js';
import { admissionVersions } from './admission-versions.js';
import type { WriteRequest } from './write-request.js';

/** The admission attributes of a write. */
export function admissionAttributes<T extends KubeObject | undefined>(
  request: WriteRequest,
  operation: AdmissionOperation,
  objects: { readonly object: T; readonly oldObject: KubeObject | undefined },
): AttributesOf<T> {
  const { resource, namespace, subresource, user, options, warn, annotate, view, lifetime } = request;
  const { stored } = resource;
  const name = request.isOfCollection ? '' : request.name || (objects.object?.metadata?.name ?? '');
  const { requested, equivalents } = admissionVersions(resource, subresource);
  return {
    operation,
    resource: { group: stored.group, version: stored.version, resource: stored.resource },
    kind: { group: stored.group, version: stored.version, kind: stored.kind },
    requested,
    equivalents,
    view,
    subresource,
    isNamespaced: stored.namespaced,
    // For admission, a Namespace is in itself.
    namespace: stored.group === '' && stored.resource === 'namespaces' ? name : namespace,
    name,
    object: objects.object,
    oldObject: objects.oldObject,
    options: options.raw,
    dryRun: options.dryRun,
    user,
    warn,
    annotate,
    lifetime,
  };
}
