import { type Client, createClient, discover, resourceInfos, type Transport } from '@coracle/client';
import { createContext, useContext } from 'react';
import type { Access } from '../model/access-rules.js';
import { Catalog } from '../model/catalog.js';
import { loadAccess } from './access.js';
import { MetricHistory } from './metric-history.js';
import { pageTransport } from './page-transport.js';
import { type SessionState, sessionKey } from './session.js';
import { WorkerTables } from './worker-tables.js';

/** The cluster that the page shows, and all that was learnt of it at the start. */
export interface Cluster {
  readonly session: SessionState;
  readonly transport: Transport;
  readonly client: Client;
  readonly tables: WorkerTables;
  readonly catalog: Catalog;
  readonly metrics: MetricHistory;
  readonly access: Access;
  /** Whether it is Coracle, which reports how things came about. */
  readonly isCoracle: boolean;
  readonly version: string;
}

export async function openCluster(session: SessionState): Promise<Cluster> {
  const identity = { origin: location.origin, key: sessionKey() };
  const transport = pageTransport(identity);
  const client = createClient({ transport, userAgent: 'coracle-dashboard' });
  const tables = new WorkerTables(identity);
  const [catalog, access, version, isCoracle] = await Promise.all([
    discover(client).then((resources) => new Catalog(resourceInfos(resources))),
    loadAccess(client, session.namespace ?? 'default'),
    versionOf(client),
    hasOwnApi(client),
  ]);
  return { session, transport, client, tables, catalog, metrics: new MetricHistory(), access, isCoracle, version };
}

async function versionOf(client: Client): Promise<string> {
  const { status, body } = await client.raw('GET', '/version');
  return status === 200 ? ((body as { gitVersion?: string }).gitVersion ?? '') : '';
}

/** Only Coracle reports its history, and only to users who may see all of it. */
async function hasOwnApi(client: Client): Promise<boolean> {
  const { status } = await client.raw('GET', '/debug/coracle/history');
  return status === 200;
}

const ClusterContext = createContext<Cluster | undefined>(undefined);
export const ClusterProvider = ClusterContext.Provider;

export function useCluster(): Cluster {
  const cluster = useContext(ClusterContext);
  if (!cluster) throw new Error('there is no cluster yet');
  return cluster;
}
