import type { RoutingTable } from './routes/routing-table.js';

/** Listens for clients and forwards requests to backends. */
export interface IngressEdge {
  /**
   * Serves by a table, from the next request on; connections stay. Returns the ports that it could not listen on, with
   * the reason.
   */
  serve(table: RoutingTable): Promise<ReadonlyMap<number, string>>;
}

/** For a router without sockets. */
export const noEdge: IngressEdge = { serve: async () => new Map() };
