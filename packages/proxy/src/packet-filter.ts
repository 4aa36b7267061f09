import type { Family, Protocol } from './service-port.js';

/** The kernel's packet filter, through nftables. */
export interface PacketFilter {
  /** Applies statements of `nft`, all of them or none. */
  apply(statements: string): Promise<void>;
  /** Whether the table of the proxy exists: another program may have flushed the rules. */
  hasTable(family: Family): Promise<boolean>;
  /** Session affinities of clients; none if there is no table. */
  affinities(family: Family): Promise<readonly Affinity[]>;
}

export interface Affinity {
  /** As an element of the map is named. */
  readonly key: string;
  /** The service's address, protocol and port, or those of the node. */
  readonly frontend: string;
  /** The endpoint: address and port. */
  readonly target: string;
  /** Timeout after the last connection, if it differs from the map's; in seconds. */
  readonly timeout?: number;
  /** Timeout from now on, in seconds. */
  readonly expires?: number;
}

/** Connections that the kernel keeps translating as it began, whatever the rules say since. */
export interface Connections {
  remove(which: readonly StaleConnections[]): Promise<void>;
}

export interface StaleConnections {
  readonly protocol: Protocol;
  readonly family: Family;
  /** The original destination; any address of the node if undefined. */
  readonly address: string | undefined;
  readonly port: number;
  /** Only those that lead there; all of them if undefined. */
  readonly endpoint: string | undefined;
}

/** Answers on a port of the node whether a service has endpoints on it, for the health checks of load balancers. */
export interface HealthCheckPorts {
  /** Serves on these ports and no others. */
  serve(checks: readonly ServiceHealth[]): Promise<void>;
}

export interface ServiceHealth {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  readonly localEndpoints: number;
}
