import type { KubeObject } from '@coracle/apimachinery';
import type { AdmissionAttributes, AdmissionOperation } from '../admission/admission.js';
import type { WriteRequest } from './write-request.js';

/** What admission is told of a write. */
export function admissionAttributes(
  request: WriteRequest,
  operation: AdmissionOperation,
  objects: { readonly object: KubeObject | undefined; readonly oldObject: KubeObject | undefined },
): AdmissionAttributes {
  const { resource, namespace, subresource, user, options, warn } = request;
  const { stored } = resource;
  const name = request.name || (objects.object?.metadata.name ?? '');
  return {
    operation,
    resource: { group: stored.group, version: stored.version, resource: stored.resource },
    kind: { group: stored.group, version: stored.version, kind: stored.kind },
    subresource,
    // A namespace is looked at as being in itself.
    namespace: stored.group === '' && stored.resource === 'namespaces' ? name : namespace,
    name,
    object: objects.object,
    oldObject: objects.oldObject,
    options: options.raw,
    dryRun: options.dryRun,
    user,
    warn,
  };
}
