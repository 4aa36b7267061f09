import type { KubeObject, Peer, ResourceRef } from '@coracle/apimachinery';
import type { Client, RawOptions } from './client.js';
import { accessorPrototype } from './resource-accessors.js';
import type { ContentCodec } from './rest/content-codec.js';
import { RestClient } from './rest/rest-client.js';
import { metadataOnly, RestResourceClient } from './rest-resource-client.js';
import type { Transport } from './transport.js';

/** The transport and the identity of a client. */
export interface CreateClientOptions {
  readonly transport: Transport;
  readonly userAgent?: string;
  /**
   * The user of an in-process client. If set, the server must be in this process: it trusts the user, bodies and
   * responses are shared values, and nothing is encoded.
   */
  readonly user?: NonNullable<Peer['user']>;
  /** Called with the server's warnings. */
  readonly onWarning?: (text: string) => void;
  /**
   * Another encoding than JSON for the kinds that it supports: `protobufCodec`. Not used in process, where nothing is
   * encoded.
   */
  readonly codec?: ContentCodec;
}

/** A client of the API server behind `transport`. It keeps no connection and needs no closing. */
export function createClient({ userAgent = 'coracle', ...options }: CreateClientOptions): Client {
  return clientOver(new RestClient({ ...options, userAgent }));
}

type OwnCalls = Pick<Client, 'resource' | 'metadata' | 'raw' | 'withUserAgent' | 'withDryRun' | 'connect' | 'exchange'>;

/** A class, because a process may have a client for each of thousands of nodes. */
class RestCalls implements OwnCalls {
  readonly #rest: RestClient;

  constructor(rest: RestClient) {
    this.#rest = rest;
  }

  resource<T extends KubeObject>(ref: ResourceRef<T>, namespace?: string): RestResourceClient<T> {
    return new RestResourceClient<T>(this.#rest, ref, { namespace });
  }

  metadata(ref: ResourceRef<KubeObject>, namespace?: string): RestResourceClient<KubeObject> {
    return new RestResourceClient<KubeObject>(this.#rest, ref, { namespace, view: metadataOnly });
  }

  raw(method: string, pathAndQuery: string, options?: RawOptions): ReturnType<Client['raw']> {
    return this.#rest.sendRaw({ method, ...splitQuery(pathAndQuery), ...options });
  }

  exchange(method: string, pathAndQuery: string, options?: RawOptions): ReturnType<Client['exchange']> {
    return this.#rest.exchange({ method, ...splitQuery(pathAndQuery), ...options });
  }

  connect(request: Parameters<Client['connect']>[0]): ReturnType<Client['connect']> {
    return this.#rest.connect(request);
  }

  withUserAgent(userAgent: string): Client {
    return clientOver(this.#rest.with({ userAgent }));
  }

  withDryRun(): Client {
    return clientOver(this.#rest.with({ dryRun: true }));
  }
}

let hasAccessors = false;

function clientOver(rest: RestClient): Client {
  if (!hasAccessors) Object.setPrototypeOf(RestCalls.prototype, accessorPrototype());
  hasAccessors = true;
  // The accessors of resources come from the prototype, which a type cannot express.
  return new RestCalls(rest) as OwnCalls as Client;
}

function splitQuery(pathAndQuery: string): { readonly path: string; readonly query: string } {
  const mark = pathAndQuery.indexOf('?');
  if (mark < 0) return { path: pathAndQuery, query: '' };
  return { path: pathAndQuery.slice(0, mark), query: pathAndQuery.slice(mark + 1) };
}
