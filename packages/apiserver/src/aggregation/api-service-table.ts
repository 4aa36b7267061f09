import { type apiregistrationv1, refs } from '@coracle/api';
import { apiVersionOf, type KubeObject } from '@coracle/apimachinery';
import type { ObjectReader } from '../object-reader.js';
import type { Destination } from '../outbound/destination.js';
import type { OutboundTls } from '../outbound/dialer.js';

export type ApiService = apiregistrationv1.APIService & KubeObject;

/** A group version that another server serves. */
export interface RemoteVersion {
  /** The name of the APIService: `v1.example.com`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly destination: Extract<Destination, { kind: 'service' }>;
  readonly isAvailable: boolean;
}

/** The client certificate that this server presents to aggregated API servers. */
export type ProxyIdentity = Pick<OutboundTls, 'clientCertificate' | 'clientKey'>;

const noVersions: ReadonlyMap<string, RemoteVersion> = new Map();

/** The group versions that APIServices delegate to other servers. */
export class ApiServiceTable {
  readonly #objects: ObjectReader;
  readonly #identity: () => ProxyIdentity;
  #generation: number | undefined;
  #remote: ReadonlyMap<string, RemoteVersion> = noVersions;

  constructor(objects: ObjectReader, identity: () => ProxyIdentity) {
    this.#objects = objects;
    this.#identity = identity;
  }

  /** Increases with every change of an APIService. */
  get generation(): number {
    return this.#objects.generation(refs.apiServices);
  }

  /** By `group/version`. */
  get remote(): ReadonlyMap<string, RemoteVersion> {
    const { generation } = this;
    if (generation !== this.#generation) {
      const versions = this.#objects.list(refs.apiServices).flatMap((service) => this.#remoteOf(service as ApiService));
      this.#remote = versions.length === 0 ? noVersions : new Map(versions.map((one) => [apiVersionOf(one), one]));
      this.#generation = generation;
    }
    return this.#remote;
  }

  #remoteOf({ metadata, spec, status }: ApiService): RemoteVersion[] {
    const { service, group = '', version = '' } = spec ?? {};
    if (!spec || !service) return [];
    const { namespace = '', name = '', port = 443 } = service;
    const tls: OutboundTls = {
      ...(spec.caBundle && { caBundle: atob(spec.caBundle) }),
      ...(spec.insecureSkipTLSVerify && { insecureSkipVerify: true }),
      ...this.#identity(),
    };
    return [
      {
        name: metadata.name ?? '',
        group,
        version,
        groupPriority: spec.groupPriorityMinimum,
        versionPriority: spec.versionPriority,
        destination: { kind: 'service', namespace, name, port, tls },
        isAvailable: status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True') ?? false,
      },
    ];
  }
}
