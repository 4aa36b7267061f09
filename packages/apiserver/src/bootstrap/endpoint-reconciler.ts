import { refs } from '@coracle/api';
import type { Store } from '@coracle/store';
import type { Needs } from '../server-parts.js';
import { announceServers, type ServerAddress } from './kubernetes-service.js';
import { ServerLeases } from './server-leases.js';

/** How servers register as endpoints of the service `kubernetes` and deregister: `--endpoint-reconciler-type`. */
export interface EndpointReconciler {
  /**
   * `lease`: the servers that hold a lease in the store, or this one alone where the store is not shared.
   * `master-count`: each writes itself in, as long as there are no more than so many.
   * `none`: the endpoints are maintained elsewhere.
   */
  readonly kind: 'lease' | 'master-count' | 'none';
  /** How many servers there are, for `master-count`. */
  readonly servers?: number;
}

/** The endpoints of the service that this server is responsible for. */
interface Members {
  /** All, with this one among them. */
  withSelf(host: string): Promise<readonly string[]>;
  /** The endpoints that remain after this server stops; nothing changes if there are none. */
  withoutSelf(host: string): Promise<readonly string[]>;
}

/** This server among those behind the `kubernetes` service. */
export interface ServerEndpoint {
  /** The address of this server, once it is known. */
  readonly address: ServerAddress | undefined;
  announce(address: ServerAddress): Promise<void>;
  /** Says again that it is there. */
  tell(): Promise<void>;
  /** The others stay; the last one stays too, because a service without endpoints is worse than a stale one. */
  leave(): Promise<void>;
}

/** The store is given if other servers may use it. */
export function createServerEndpoint(
  parts: Needs<'objects' | 'writer'>,
  reconciler: EndpointReconciler = { kind: 'lease' },
  sharedStore?: Store,
): ServerEndpoint {
  const members = {
    lease: () => (sharedStore ? leased(new ServerLeases(sharedStore)) : alone),
    'master-count': () => counted(parts, reconciler.servers ?? 1),
    none: () => unknown,
  };
  return new AnnouncedServer(parts, members[reconciler.kind]());
}

const unknown: Members = { withSelf: async () => [], withoutSelf: async () => [] };

const alone: Members = { withSelf: async (host) => [host], withoutSelf: async () => [] };

function leased(leases: ServerLeases): Members {
  return {
    // Its own lease is renewed first, so that it never removes itself.
    withSelf: async (host) => {
      await leases.renew(host);
      return await leases.hosts();
    },
    withoutSelf: async (host) => {
      await leases.remove(host);
      return await leases.hosts();
    },
  };
}

function counted({ objects }: Needs<'objects'>, servers: number): Members {
  const others = (host: string) => {
    const { subsets } = objects.get(refs.endpoints, 'default', 'kubernetes') ?? {};
    const addresses = (subsets ?? []).flatMap((subset) => subset.addresses ?? []);
    return addresses.map(({ ip }) => ip).filter((ip) => ip !== host);
  };
  return {
    withSelf: async (host) => [host, ...others(host).slice(0, Math.max(0, servers - 1))].sort(),
    withoutSelf: async (host) => others(host),
  };
}

class AnnouncedServer implements ServerEndpoint {
  readonly #parts: Needs<'objects' | 'writer'>;
  readonly #members: Members;
  #address: ServerAddress | undefined;

  constructor(parts: Needs<'objects' | 'writer'>, members: Members) {
    this.#parts = parts;
    this.#members = members;
  }

  get address(): ServerAddress | undefined {
    return this.#address;
  }

  async announce(address: ServerAddress): Promise<void> {
    this.#address = address;
    await this.tell();
  }

  async tell(): Promise<void> {
    if (!this.#address) return;
    const { host, port } = this.#address;
    const hosts = host === undefined ? [] : await this.#members.withSelf(host);
    await announceServers(this.#parts, hosts, port);
  }

  async leave(): Promise<void> {
    const address = this.#address;
    this.#address = undefined;
    if (address?.host === undefined) return;
    const staying = await this.#members.withoutSelf(address.host);
    if (staying.length > 0) await announceServers(this.#parts, staying, address.port);
  }
}
