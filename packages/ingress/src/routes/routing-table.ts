import { compareRoutes } from './compare-routes.js';
import { hostNameOf, patternsFor } from './host-name.js';
import { matchesRequest } from './match-request.js';
import type { RequestHead } from './request-head.js';
import type { Route } from './route.js';

/** A certificate with its key, as PEM. */
export interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

/** A listener: a port, and a pattern of hosts. */
export interface Listener {
  readonly port: number;
  readonly tls: boolean;
  readonly hostname: string;
  /** Shown to clients that request a host of a pattern. */
  readonly certificates: readonly { readonly hostname: string; readonly pair: CertificatePair }[];
  readonly routes: readonly Route[];
  /** Routes of Ingresses are matched after those of Gateways. */
  readonly kind: 'gateway' | 'ingress';
}

/** Routes by host pattern, each list in the order in which it is to be tried. */
type HostRoutes = ReadonlyMap<string, readonly Route[]>;

interface PortTable {
  readonly tls: boolean;
  readonly gateways: ReadonlyMap<string, HostRoutes>;
  readonly ingress: HostRoutes;
  readonly certificates: ReadonlyMap<string, readonly CertificatePair[]>;
}

export type Found =
  | { readonly kind: 'route'; readonly route: Route }
  | { readonly kind: 'none' }
  /** The connection was made for a host of another listener. */
  | { readonly kind: 'misdirected' };

/** Leads requests to routes. A value: a change makes another table. */
export class RoutingTable {
  readonly #ports: ReadonlyMap<number, PortTable>;

  constructor(listeners: readonly Listener[]) {
    const ports = groupByPort(listeners);
    this.#ports = new Map([...ports].map(([port, own]) => [port, portTable(own)]));
  }

  /** The ports that are listened on. */
  get ports(): readonly { readonly port: number; readonly tls: boolean }[] {
    return [...this.#ports].map(([port, { tls }]) => ({ port, tls }));
  }

  /** The certificates for a name that a client requests, the preferred one first. */
  certificatesFor(port: number, serverName: string): readonly CertificatePair[] {
    const certificates = this.#ports.get(port)?.certificates;
    for (const pattern of patternsFor(hostNameOf(serverName))) {
      const found = certificates?.get(pattern);
      if (found) return found;
    }
    return [];
  }

  find(head: RequestHead): Found {
    const table = this.#ports.get(head.port);
    if (!table) return { kind: 'none' };
    const host = hostNameOf(head.authority);
    const listener = listenerFor(table, host);
    if (head.serverName !== undefined && listener !== listenerFor(table, hostNameOf(head.serverName)))
      return { kind: 'misdirected' };
    const gateway = listener === undefined ? undefined : table.gateways.get(listener);
    const route = (gateway && findIn(gateway, host, head)) ?? findIn(table.ingress, host, head);
    return route ? { kind: 'route', route } : { kind: 'none' };
  }
}

/** Only the listener with the narrowest pattern gets a request. */
function listenerFor({ gateways }: PortTable, host: string): string | undefined {
  return patternsFor(host).find((pattern) => gateways.has(pattern));
}

function findIn(routes: HostRoutes, host: string, head: RequestHead): Route | undefined {
  const candidates = patternsFor(host).flatMap((pattern) => routes.get(pattern) ?? []);
  const isOurs = (route: Route) => !route.oneLabel || coversOneLabel(route.hostname, host);
  let fallback: Route | undefined;
  for (const route of candidates) {
    if (!isOurs(route) || !matchesRequest(route.match, head)) continue;
    if (!route.isDefault) return route;
    fallback ??= route;
  }
  return fallback;
}

function coversOneLabel(pattern: string, host: string): boolean {
  return !pattern.startsWith('*.') || host.indexOf('.') === host.length - pattern.length + 1;
}

function portTable(listeners: readonly Listener[]): PortTable {
  const gateways = new Map<string, HostRoutes>();
  const own = listeners.filter(({ kind }) => kind === 'gateway');
  for (const { hostname } of own) {
    const routes = own.filter((one) => one.hostname === hostname).flatMap((one) => one.routes);
    gateways.set(hostname, byHost(routes));
  }
  const certificates = new Map<string, CertificatePair[]>();
  for (const { hostname, pair } of listeners.flatMap((one) => one.certificates)) {
    certificates.set(hostname, [...(certificates.get(hostname) ?? []), pair]);
  }
  const ingress = byHost(listeners.filter(({ kind }) => kind === 'ingress').flatMap((one) => one.routes));
  return { tls: listeners.some(({ tls }) => tls), gateways, ingress, certificates };
}

function byHost(routes: readonly Route[]): HostRoutes {
  const lists = new Map<string, Route[]>();
  for (const route of [...routes].sort(compareRoutes)) {
    const list = lists.get(route.hostname) ?? [];
    lists.set(route.hostname, list);
    list.push(route);
  }
  return lists;
}

function groupByPort(listeners: readonly Listener[]): Map<number, Listener[]> {
  const groups = new Map<number, Listener[]>();
  for (const listener of listeners) groups.set(listener.port, [...(groups.get(listener.port) ?? []), listener]);
  return groups;
}
