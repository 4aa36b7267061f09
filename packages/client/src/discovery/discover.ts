import { isRecord } from '@coracle/base';
import type { Client, RawResponse } from '../client.js';
import { failureOfResponse } from '../rest/failure-of-response.js';
import {
  type ApiGroup,
  type ApiResource,
  type ApiResourceList,
  fromAggregated,
  type ServerResources,
} from './server-resources.js';

/** Aggregated discovery if the server supports it, otherwise discovery by group. */
const accept = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

/** The answer of one of the two roots, with the ETag of the aggregated document, if there is one. */
interface Root {
  readonly found: ServerResources;
  readonly etag: string | undefined;
}

/** Discovered resources, under the roots `/api` and `/apis`. */
const rootsOf = new WeakMap<ServerResources, readonly [Root, Root]>();

/**
 * Requests the discovery of everything that a server serves. If a part fails, it is reported with the rest. If nothing
 * has changed since `previous`, the server returns 304, and `previous` is returned.
 */
export async function discover(client: Client, previous?: ServerResources): Promise<ServerResources> {
  const [core, named] = (previous && rootsOf.get(previous)) ?? [];
  const roots = await Promise.all([
    readRoot(client, { path: '/api', groupsOf: coreGroup, before: core }),
    readRoot(client, { path: '/apis', groupsOf: namedGroups, before: named }),
  ]);
  if (previous && roots[0] === core && roots[1] === named) return previous;
  const found: ServerResources = {
    groups: roots.flatMap(({ found: { groups } }) => groups),
    lists: roots.flatMap(({ found: { lists } }) => lists),
    failures: new Map(roots.flatMap(({ found: { failures } }) => [...failures])),
  };
  rootsOf.set(found, roots);
  return found;
}

/** The resources of one group version. A server without `v1` counts as having no resources in it. */
export async function discoverVersion(client: Client, groupVersion: string): Promise<ApiResourceList> {
  if (groupVersion === '') throw new Error("group version shouldn't be empty");
  const body = groupVersion.includes('/')
    ? okBody(await client.raw('GET', `/apis/${groupVersion}`))
    : emptyIfHidden(await client.raw('GET', `/api/${groupVersion}`));
  return { groupVersion, resources: listOf<ApiResource>(body, 'resources') };
}

function emptyIfHidden(response: RawResponse): unknown {
  return response.status === 403 || response.status === 404 ? {} : okBody(response);
}

function okBody(response: RawResponse): unknown {
  if (response.status >= 400) throw failureOfResponse(response);
  return response.body;
}

interface RootQuestion {
  readonly path: string;
  readonly groupsOf: (body: unknown) => ApiGroup[];
  readonly before: Root | undefined;
}

/** A server may hide a root, or have none: it counts as empty. */
async function readRoot(client: Client, { path, groupsOf, before }: RootQuestion): Promise<Root> {
  const headers = { accept, ...(before?.etag !== undefined && { 'if-none-match': before.etag }) };
  const response = await client.raw('GET', path, { headers });
  if (before && response.status === 304) return before;
  const body = emptyIfHidden(response);
  if (isRecord(body) && body['kind'] === 'APIGroupDiscoveryList') {
    const { etag } = response.headers;
    return { found: fromAggregated(body), etag: typeof etag === 'string' ? etag : undefined };
  }
  return { found: await readGroups(client, groupsOf(body)), etag: undefined };
}

async function readGroups(client: Client, groups: readonly ApiGroup[]): Promise<ServerResources> {
  const failures = new Map<string, unknown>();
  const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion));
  const lists = await Promise.all(
    versions.map((groupVersion) =>
      discoverVersion(client, groupVersion).catch((error: unknown) => {
        failures.set(groupVersion, error);
        return undefined;
      }),
    ),
  );
  return { groups, lists: lists.filter((list) => list !== undefined), failures };
}

function coreGroup(body: unknown): ApiGroup[] {
  const versions = listOf<string>(body, 'versions').map((version) => ({ version, groupVersion: version }));
  const [preferredVersion] = versions;
  return preferredVersion ? [{ name: '', versions, preferredVersion }] : [];
}

function namedGroups(body: unknown): ApiGroup[] {
  return listOf<ApiGroup>(body, 'groups');
}

function listOf<T>(body: unknown, field: string): T[] {
  const value = isRecord(body) ? body[field] : undefined;
  return Array.isArray(value) ? value : [];
}
