import type { Clock, Random } from '@coracle/base';
import type { FeatureGates } from './features/feature-gates.js';
import type { ObjectReader, ObjectWriter } from './object-reader.js';
import type { Outbound } from './outbound/outbound.js';
import type { Registry } from './registry/registry.js';
import type { ResourceTable } from './registry/resource-table.js';

/** The parts of a server. Only its assembly uses all of them: see `Needs`. */
export interface ServerParts {
  readonly objects: ObjectReader;
  readonly writer: ObjectWriter;
  /** Writes like a client: with admission. */
  readonly registry: Registry;
  readonly resources: ResourceTable;
  readonly features: FeatureGates;
  /** Outgoing requests to URLs and services. */
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly random: Random;
  /** `host:port` under which clients reach this server. */
  serverAddress(): string;
}

/** The parts that a function needs: `Needs<'objects' | 'clock'>`. */
export type Needs<P extends keyof ServerParts> = Pick<ServerParts, P>;
