import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiRequest } from '@coracle/apimachinery';

/** A request to upgrade a connection. */
export interface UpgradeRequest {
  readonly request: ApiRequest;
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  /** Data of the other protocol that has already arrived. */
  readonly head: Buffer;
}
