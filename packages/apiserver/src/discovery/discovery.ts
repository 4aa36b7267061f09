import { type ApiResponse, pageNotFound, toBase64 } from '@coracle/apimachinery';
import type { Handler, RequestContext } from '../handler-chain.js';
import { hexDigest } from '../hex-digest.js';
import { jsonValue } from '../negotiation/encode-json.js';
import { negotiate, plainObjects } from '../negotiation/negotiate.js';
import { respondWithValue, takesValues, valueResponse } from '../negotiation/respond.js';
import type { ResourceTable } from '../registry/resource-table.js';
import {
  aggregatedDocument,
  type DiscoveredResource,
  groupDocument,
  groupResources,
  type RemoteGroupVersion,
  resourceListDocument,
  type ServedGroup,
} from './group-documents.js';
import { type ServerAddressesOptions, serverAddresses } from './server-addresses.js';

export interface DiscoveryOptions extends ServerAddressesOptions {
  readonly resources: ResourceTable;
  /** Whether discovery includes the storage version hash. */
  readonly hasStorageVersions: boolean;
  /** What other servers serve behind this one. */
  readonly remote?: RemoteGroups;
}

/** Groups of other servers. */
export interface RemoteGroups {
  /** Another one whenever something has changed. */
  readonly generation: string;
  groupVersions(): readonly RemoteGroupVersion[];
}

type AggregatedVersion = 'v2' | 'v2beta1';

/** Discovery documents, cached until a resource is added or removed. */
export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #addressesFor: ReturnType<typeof serverAddresses>;
  #generation = '';
  #groups: Promise<readonly ServedGroup[]> | undefined;
  readonly #aggregated = new Map<string, Promise<{ readonly bytes: Uint8Array; readonly etag: string }>>();

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    this.#addressesFor = serverAddresses(options);
  }

  groups(): Promise<readonly ServedGroup[]> {
    const { resources, remote } = this.#options;
    const generation = `${resources.generation} ${remote?.generation ?? ''}`;
    if (!this.#groups || this.#generation !== generation) {
      this.#generation = generation;
      this.#aggregated.clear();
      this.#groups = discoverResources(this.#options).then((found) => groupResources(found, remote?.groupVersions()));
    }
    return this.#groups;
  }

  /** `/api` */
  readonly coreVersions: Handler = async (context) => {
    const groups = (await this.groups()).filter(({ name }) => name === '');
    const version = aggregatedVersion(context);
    if (version) return await this.#sendAggregated(context, { path: 'api', version, groups });
    return this.#send(context, {
      kind: 'APIVersions',
      versions: groups.flatMap(({ versions }) => versions.map((served) => served.version)),
      serverAddressByClientCIDRs: this.#addressesFor(context.request),
    });
  };

  /** `/apis` */
  readonly groupList: Handler = async (context) => {
    const groups = (await this.groups()).filter(({ name }) => name !== '');
    const version = aggregatedVersion(context);
    if (version) return await this.#sendAggregated(context, { path: 'apis', version, groups });
    return this.#send(context, { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupDocument) });
  };

  /** `/apis/{group}` */
  async group(context: RequestContext, name: string): Promise<ApiResponse> {
    const group = (await this.groups()).find((one) => one.name === name);
    if (!group || name === '') throw pageNotFound();
    return this.#send(context, { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(group) });
  }

  /** `/api/v1` and `/apis/{group}/{version}` */
  async version(context: RequestContext, group: string, version: string): Promise<ApiResponse> {
    const served = (await this.groups())
      .find(({ name }) => name === group)
      ?.versions.find((one) => one.version === version);
    if (!served) throw pageNotFound();
    return this.#send(context, resourceListDocument(group, served));
  }

  #send(context: RequestContext, document: Record<string, unknown>): ApiResponse {
    return respondWithValue(context, negotiate(context, plainObjects), document);
  }

  async #sendAggregated(
    context: RequestContext,
    { path, version, groups }: { path: string; version: AggregatedVersion; groups: readonly ServedGroup[] },
  ): Promise<ApiResponse> {
    const document = () => aggregatedDocument(groups, version);
    if (takesValues(context)) return valueResponse(200, document());
    const key = `${path} ${version}`;
    let encoded = this.#aggregated.get(key);
    if (!encoded) {
      const bytes = jsonValue(document(), false);
      encoded = hexDigest(bytes).then((etag) => ({ bytes, etag: `"${etag}"` }));
      this.#aggregated.set(key, encoded);
    }
    const { bytes, etag } = await encoded;
    const headers = {
      'content-type': `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
      'cache-control': 'public',
      etag,
      vary: 'Accept',
    };
    if (context.request.headers['if-none-match'] === etag) return { status: 304, headers, body: { kind: 'empty' } };
    return { status: 200, headers, body: { kind: 'bytes', chunks: [bytes] } };
  }
}

/** The version of aggregated discovery that the client prefers; `undefined` if it does not accept aggregated discovery. */
function aggregatedVersion({ request }: RequestContext): AggregatedVersion | undefined {
  for (const clause of (request.headers.accept ?? '').split(',')) {
    if (/as=APIGroupDiscoveryList/.test(clause) && /^\s*application\/json/.test(clause)) {
      if (/v=v2beta1/.test(clause)) return 'v2beta1';
      if (/v=v2(;|\s|$)/.test(clause)) return 'v2';
    } else if (/^\s*(application\/(json|vnd\.kubernetes\.protobuf)|\*\/\*)\s*(;q=[\d.]+)?\s*$/.test(clause))
      return undefined;
  }
  return undefined;
}

async function discoverResources({ resources, hasStorageVersions }: DiscoveryOptions): Promise<DiscoveredResource[]> {
  const discoverable = resources.all().filter(({ isUndiscovered }) => !isUndiscovered);
  return await Promise.all(
    discoverable.map(async ({ info, stored }) => ({
      info,
      storageVersionHash:
        hasStorageVersions && info.verbs.includes('list') && info.resource !== 'componentstatuses'
          ? await storageVersionHash(stored)
          : undefined,
    })),
  );
}

/** Changes when the stored version does, so that clients can see that all objects have been written again. */
function storageVersionHash(stored: { group: string; version: string; kind: string }): Promise<string> {
  const text = `${stored.group}/${stored.version}/${stored.kind}`;
  const hash = storageVersionHashes.get(text) ?? hashOf(text);
  storageVersionHashes.set(text, hash);
  return hash;
}

/** Kinds are few, and listed again whenever one is added or removed. */
const storageVersionHashes = new Map<string, Promise<string>>();

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toBase64(new Uint8Array(digest, 0, 8));
}
