import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Connection, Transport } from '@coracle/client';
import { createHttpTransport, createStderrLogger, serveHttp, serveUpgrades } from '@coracle/platform-nodejs';
import { createDashboard, type Dashboard } from './dashboard.js';
import { DashboardFiles } from './dashboard-files.js';
import { type DashboardSession, DashboardSessions } from './dashboard-sessions.js';

export interface ServeDashboardOptions {
  readonly connection: Connection;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly login: 'link' | 'token';
  /** Host names besides its address under which users reach it. */
  readonly names?: readonly string[];
}

export interface ServedDashboard extends AsyncDisposable {
  /** Without a token. */
  readonly url: string;
  /** An address that lets one browser in. */
  issueLink(): string;
}

/** Beside the bundle, whose chunks are in a separate folder; from the sources: the last build. */
function builtFiles(): string {
  const places = ['../dashboard', './dashboard', '../../dist/dashboard'];
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = folders.find((folder) => existsSync(join(folder, 'index.html')));
  if (!found) throw new Error('the dashboard has not been built: npm run build');
  return found;
}

/** Serves the page and the proxy to the cluster, on loopback unless another address is set. */
export async function serveDashboard(options: ServeDashboardOptions): Promise<ServedDashboard> {
  const { host, login, names = [], connection } = options;
  const folder = builtFiles();
  const sessions = new DashboardSessions();
  const transports = new Transports(connection);
  let dashboard: Dashboard | undefined;
  let port = 0;
  const serving = await serveHttp({
    host,
    port: options.port,
    maxBodyBytes: 8 * 1024 * 1024,
    onListening: (listening) => {
      port = listening;
      dashboard = createDashboard({
        files: new DashboardFiles(folder),
        sessions,
        login,
        scheme: 'http',
        hosts: new Set([host, 'localhost', ...names].map((name) => `${bracketed(name)}:${port}`.toLowerCase())),
        cookieName: `coracle-dashboard-${port}`,
        about: { server: connection.server, namespace: connection.namespace },
        transportFor: (session) => transports.of(session),
      });
    },
    onUpgrade: serveUpgrades((request, protocols) => running(dashboard).upgrade(request, protocols)),
  })((request) => running(dashboard).exchange(request));
  const url = `http://${bracketed(names[0] ?? host)}:${port}/`;
  return {
    url,
    issueLink: () => `${url}#token=${sessions.issueLink()}`,
    async [Symbol.asyncDispose]() {
      await serving[Symbol.asyncDispose]();
      transports[Symbol.dispose]();
    },
  };
}

function running(dashboard: Dashboard | undefined): Dashboard {
  if (!dashboard) throw new Error('the dashboard has not started yet');
  return dashboard;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** One for all sessions of the kubeconfig's user, and one for each token. Created on the first request. */
class Transports implements Disposable {
  readonly #connection: Connection;
  readonly #transports = new Map<string, Promise<Transport & Disposable>>();

  constructor(connection: Connection) {
    // Page, proxy and, mostly, the server are on one machine: packing costs more than it saves.
    this.#connection = { ...connection, disableCompression: true };
  }

  of({ token }: DashboardSession): Promise<Transport> {
    const entry = this.#transports.get(token ?? '') ?? this.#make(token);
    this.#transports.set(token ?? '', entry);
    entry.catch(() => this.#transports.delete(token ?? ''));
    return entry;
  }

  [Symbol.dispose](): void {
    for (const one of this.#transports.values())
      void one.then(
        (transport) => transport[Symbol.dispose](),
        () => {},
      );
  }

  #make(token: string | undefined): Promise<Transport & Disposable> {
    const { impersonate: _, ...bare } = this.#connection;
    const connection = token === undefined ? this.#connection : { ...bare, credentials: { token } };
    return createHttpTransport({ connection, logger: createStderrLogger({ level: 'error' }) });
  }
}
