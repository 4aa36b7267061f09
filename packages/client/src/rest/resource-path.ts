import { badRequest, type GroupVersionResource } from '@coracle/apimachinery';

export interface PathParts {
  readonly namespace?: string | undefined;
  readonly name?: string;
  readonly subresource?: string | undefined;
}

/** The path of a resource: `/api/v1/namespaces/default/pods/web/status`. */
export function resourcePath(ref: GroupVersionResource, { namespace, name, subresource }: PathParts): string {
  let path = ref.group === '' ? `/api/${ref.version}` : `/apis/${ref.group}/${ref.version}`;
  if (namespace) path += `/namespaces/${encodeURIComponent(namespace)}`;
  path += `/${ref.resource}`;
  if (name !== undefined) path += `/${encodeURIComponent(name)}`;
  if (subresource) path += `/${subresource}`;
  return path;
}

/** The path of one object. Fails if the path would be that of the collection, or invalid. */
export function objectPath(ref: GroupVersionResource & { readonly namespaced: boolean }, parts: PathParts): string {
  if (!parts.name) throw badRequest('resource name may not be empty');
  if (ref.namespaced && !parts.namespace)
    throw badRequest('an empty namespace may not be set when a resource name is provided');
  return resourcePath(ref, parts);
}
