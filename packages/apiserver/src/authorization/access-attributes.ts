import type { RequestContext } from '../handler-chain.js';
import type { AccessAttributes } from './authorizer.js';

/** Attributes of a request for authorization. */
export function accessAttributes({ user, info }: RequestContext): AccessAttributes {
  const { verb, isResourceRequest, group, version, resource, subresource, namespace, name, path, fieldSelector } = info;
  const attributes = { user, verb, isResourceRequest, group, version, resource, subresource, namespace, name, path };
  return fieldSelector === undefined ? attributes : { ...attributes, fieldSelector };
}
