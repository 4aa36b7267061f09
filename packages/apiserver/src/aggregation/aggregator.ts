import type { Logger, Metrics } from '@coracle/base';
import type { RemoteGroups } from '../discovery/discovery.js';
import type { RemoteGroupVersion } from '../discovery/group-documents.js';
import type { Filter } from '../handler-chain.js';
import type { Needs } from '../server-parts.js';
import { ApiServiceTable, type ProxyIdentity, type RemoteVersion } from './api-service-table.js';
import { AutoRegistration } from './auto-registration.js';
import { AvailabilityController } from './availability-controller.js';
import { mergeOpenApi } from './merge-open-api.js';
import { proxyRequest } from './proxy-request.js';
import { remoteGroupVersions } from './remote-groups.js';

export interface AggregatorOptions {
  readonly parts: Needs<'objects' | 'writer' | 'resources' | 'outbound' | 'clock'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly identity?: (() => ProxyIdentity) | undefined;
}

/** Serves the API groups of other servers as part of this one. */
export class Aggregator implements RemoteGroups, Disposable {
  readonly #parts: Needs<'outbound'>;
  readonly #table: ApiServiceTable;
  readonly #availability: AvailabilityController;
  readonly #registration: AutoRegistration;

  constructor({ parts, logger, metrics, identity = () => ({}) }: AggregatorOptions) {
    this.#parts = parts;
    this.#table = new ApiServiceTable(parts.objects, identity);
    this.#availability = new AvailabilityController({ parts, table: this.#table, logger, metrics });
    this.#registration = new AutoRegistration({ parts, logger });
  }

  start(): void {
    this.#registration.start();
    this.#availability.start();
  }

  [Symbol.dispose](): void {
    this.#registration[Symbol.dispose]();
    this.#availability[Symbol.dispose]();
  }

  /** Increases when other servers are added, removed or serve other resources. */
  get generation(): string {
    return `${this.#table.remote.size === 0 ? '' : this.#table.generation} ${this.#availability.generation}`;
  }

  groupVersions(): readonly RemoteGroupVersion[] {
    return remoteGroupVersions(this.#table.remote.values(), (apiVersion) => this.#availability.documentOf(apiVersion));
  }

  /** Proxies requests for other servers, and merges their OpenAPI documents into those of this one. */
  readonly filter: Filter = (next) => {
    const openApi = mergeOpenApi(this.#parts.outbound, () => [...this.#table.remote.values()], next);
    return (context) => {
      if (this.#table.remote.size === 0) return next(context);
      const { path } = context.info;
      if (path.startsWith('/openapi/')) return openApi(context);
      const remote = this.#remoteAt(path);
      return remote ? proxyRequest(this.#parts.outbound, remote, context) : next(context);
    };
  };

  #remoteAt(path: string): RemoteVersion | undefined {
    const [, root, group, version] = path.split('/', 4);
    return root === 'apis' ? this.#table.remote.get(`${group}/${version}`) : undefined;
  }
}
