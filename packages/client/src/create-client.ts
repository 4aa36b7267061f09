import type { KubeObject, Peer, ResourceRef } from '@coracle/apimachinery';
import type { Client, RawOptions } from './client.js';
import { accessorPrototype } from './resource-accessors.js';
import type { ContentCodec } from './rest/content-codec.js';
import { RestClient } from './rest/rest-client.js';
import { metadataOnly, RestResourceClient } from './rest-resource-client.js';
import type { Transport } from './transport.js';

/** How a client reaches its server, and how it presents itself. */
export interface CreateClientOptions {
  readonly transport: Transport;
  readonly userAgent?: string;
  /**
   * Who an in-process client acts as. Given, the server must be in this process: it is believed, bodies and answers
   * are shared values, and nothing is encoded.
   */
  readonly user?: NonNullable<Peer['user']>;
  /** Called with the server's warnings. */
  readonly onWarning?: (text: string) => void;
  /** Another form than JSON for the kinds that it knows: `protobufCodec`. Not used in process, where nothing is encoded. */
  readonly codec?: ContentCodec;
}

/** A client of the API server behind `transport`. It keeps no connection and needs no closing. */
export function createClient({ userAgent = 'coracle', ...options }: CreateClientOptions): Client {
  return clientOver(new RestClient({ ...options, userAgent }));
}

function clientOver(rest: RestClient): Client {
  const own: Pick<Client, 'resource' | 'metadata' | 'raw' | 'withUserAgent' | 'withDryRun' | 'connect' | 'exchange'> = {
    resource: <T extends KubeObject>(ref: ResourceRef<T>, namespace?: string) =>
      new RestResourceClient<T>(rest, ref, { namespace }),
    metadata: (ref: ResourceRef<KubeObject>, namespace?: string) =>
      new RestResourceClient<KubeObject>(rest, ref, { namespace, view: metadataOnly }),
    raw: (method, pathAndQuery, options) => rest.sendRaw({ method, ...splitQuery(pathAndQuery), ...options }),
    exchange: (method: string, pathAndQuery: string, options?: RawOptions) =>
      rest.exchange({ method, ...splitQuery(pathAndQuery), ...options }),
    connect: (request) => rest.connect(request),
    withUserAgent: (userAgent) => clientOver(rest.with({ userAgent })),
    withDryRun: () => clientOver(rest.with({ dryRun: true })),
  };
  return Object.assign(Object.create(accessorPrototype()), own);
}

function splitQuery(pathAndQuery: string): { readonly path: string; readonly query: string } {
  const mark = pathAndQuery.indexOf('?');
  if (mark < 0) return { path: pathAndQuery, query: '' };
  return { path: pathAndQuery.slice(0, mark), query: pathAndQuery.slice(mark + 1) };
}
