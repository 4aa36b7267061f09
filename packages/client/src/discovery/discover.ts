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

/** All groups in one answer where the server can, else as it always was. */
const accept = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

/** Asks a server for everything that it serves. A part that fails is reported with the rest, and does not spoil it. */
export async function discover(client: Client): Promise<ServerResources> {
  const [core, named] = await Promise.all([root(client, '/api'), root(client, '/apis')]);
  const parts = await Promise.all([readRoot(client, core, coreGroup), readRoot(client, named, namedGroups)]);
  return {
    groups: parts.flatMap(({ groups }) => groups),
    lists: parts.flatMap(({ lists }) => lists),
    failures: new Map(parts.flatMap(({ failures }) => [...failures])),
  };
}

/** The resources of one group and version. A server that hides or has not the oldest one, `v1`, has nothing in it. */
export async function discoverVersion(client: Client, groupVersion: string): Promise<ApiResourceList> {
  if (groupVersion === '') throw new Error("group version shouldn't be empty");
  const body = groupVersion.includes('/')
    ? okBody(await client.raw('GET', `/apis/${groupVersion}`))
    : emptyIfHidden(await client.raw('GET', `/api/${groupVersion}`));
  return { groupVersion, resources: listOf<ApiResource>(body, 'resources') };
}

/** A server may hide a root, or have none: that is an empty one. */
async function root(client: Client, path: string): Promise<unknown> {
  return emptyIfHidden(await client.raw('GET', path, { headers: { accept } }));
}

function emptyIfHidden(response: RawResponse): unknown {
  return response.status === 403 || response.status === 404 ? {} : okBody(response);
}

function okBody(response: RawResponse): unknown {
  if (response.status >= 400) throw failureOfResponse(response);
  return response.body;
}

async function readRoot(
  client: Client,
  body: unknown,
  groupsOf: (body: unknown) => ApiGroup[],
): Promise<ServerResources> {
  if (isRecord(body) && body['kind'] === 'APIGroupDiscoveryList') return fromAggregated(body);
  const groups = groupsOf(body);
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
