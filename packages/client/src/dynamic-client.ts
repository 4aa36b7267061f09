import { type KubeObject, parseApiVersion, type ResourceInfo, type ResourceRef } from '@coracle/apimachinery';
import type { Client } from './client.js';
import type { CachedDiscovery } from './discovery/cached-discovery.js';
import type { ResourceClient } from './resource-client.js';

/** An object of any kind, whose fields are unchecked. */
export type AnyObject = KubeObject & { [field: string]: unknown };

/** A reference to a resource that was found by discovery. */
export function refOf({ group, version, resource, kind, namespaced }: ResourceInfo): ResourceRef<AnyObject> {
  return { group, version, resource, kind, namespaced };
}

/** The client for the kind of an object, built-in or custom. Fails if the server does not serve the kind. */
export async function clientFor(
  object: { readonly apiVersion?: string; readonly kind?: string; readonly metadata?: { readonly namespace?: string } },
  { client, discovery }: { readonly client: Client; readonly discovery: CachedDiscovery },
): Promise<ResourceClient<AnyObject>> {
  const { apiVersion = '', kind = '' } = object;
  const groupVersion = parseApiVersion(apiVersion);
  const info = groupVersion && (await discovery.byKind({ ...groupVersion, kind }));
  if (!info) throw new Error(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
  return client.resource(refOf(info), object.metadata?.namespace);
}
