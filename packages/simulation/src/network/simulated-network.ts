import { type Node, type Pod, refs, type Service } from '@coracle/api';
import { formatIp, LabelSelector, type Labels, parseIp } from '@coracle/apimachinery';
import { type Random, randomInt } from '@coracle/base';
import type { InformerFactory } from '@coracle/client';
import { ClusterZone, recordTypes } from '@coracle/dns';
import { BackendEndpoints, type RoutingTable } from '@coracle/ingress';
import { isAllowed, type Party } from '@coracle/network-policy';
import {
  chooseEndpoints,
  type Endpoint,
  endpointsOf,
  type ServicePort,
  serviceOfSlice,
  servicePorts,
} from '@coracle/proxy';
import type { PodHandler } from './pod-handler.js';
import type { PodServers } from './pod-servers.js';
import { requestPort } from './request-port.js';
import { routeRequest } from './route-request.js';

/** Source of the request: a pod, as `namespace/name`; by default the node, which policies never block. */
export interface NetworkOptions {
  readonly from?: string;
}

export interface ResolveOptions extends NetworkOptions {
  /** IPv4 addresses by default. `SRV` returns `name:port`. */
  readonly type?: 'A' | 'AAAA' | 'SRV' | 'PTR' | 'CNAME' | 'TXT';
}

export interface ServedPods {
  readonly namespace?: string;
  /** Pods with these labels; all by default. */
  readonly labels?: Labels;
  /** All unless stated. */
  readonly port?: number;
}

/** The network of simulated pods, in this process: names, services and policies decide as on real nodes. */
export interface ClusterNetwork {
  /** Resolves a name by the cluster DNS, with the search path of the source pod. Fails like a resolver does (`ENOTFOUND`). */
  resolve(name: string, options?: ResolveOptions): Promise<string[]>;
  /**
   * Reaches a pod as the service proxy would, or as the router would if the host is one of an Ingress or a Gateway and no
   * name of the cluster. Fails with `ECONNREFUSED` without endpoints, with `ETIMEDOUT` where
   * policies forbid it.
   */
  fetch(target: string | URL | Request, init?: RequestInit & NetworkOptions): Promise<Response>;
  /** Lets a function answer for pods, instead of the page that simulated pods have. */
  serve(pods: ServedPods, handler: PodHandler): Disposable;
}

export interface SimulatedNetworkOptions {
  readonly informers: InformerFactory;
  readonly random: Random;
  readonly domain?: string;
  /** The functions that implement containers. */
  readonly servers?: PodServers;
  /** Routing of hosts of Ingresses and Gateways. */
  readonly routes?: () => RoutingTable;
}

const bySliceService = 'network-service';
const byPodAddress = 'network-address';
const addressesOfPod = ({ status }: Pod): readonly string[] => (status?.podIPs ?? []).map(({ ip }) => ip);

export class SimulatedNetwork implements ClusterNetwork {
  readonly #options: SimulatedNetworkOptions;
  readonly #zone: ClusterZone;
  readonly #endpoints: BackendEndpoints;
  readonly #served: { readonly pods: ServedPods; readonly handler: PodHandler }[] = [];
  /** Client and frontend → the endpoint that it stays with. */
  readonly #affinities = new Map<string, string>();

  constructor(options: SimulatedNetworkOptions) {
    this.#options = options;
    const { informers, domain = 'cluster.local' } = options;
    this.#zone = new ClusterZone({ informers, domain });
    informers.for(refs.endpointSlices).addIndex(bySliceService, serviceOfSlice);
    this.#endpoints = new BackendEndpoints(informers, { nodeName: '', zone: '' });
    informers.for(refs.pods).addIndex(byPodAddress, addressesOfPod);
    informers.for(refs.nodes);
    informers.for(refs.networkPolicies);
    informers.start();
  }

  serve(pods: ServedPods, handler: PodHandler): Disposable {
    const entry = { pods, handler };
    // The latest precedes the others.
    this.#served.unshift(entry);
    return { [Symbol.dispose]: () => void this.#served.splice(this.#served.indexOf(entry), 1) };
  }

  async resolve(name: string, { from, type = 'A' }: ResolveOptions = {}): Promise<string[]> {
    await this.#options.informers.synced();
    for (const full of this.#candidates(name, from)) {
      const question = { name: full, type: recordTypes[type] };
      const answer = this.#zone.covers(full) ? this.#zone.answer(question) : this.#zone.reverse(question);
      if (answer?.code !== 'NOERROR') continue;
      const texts = answer.answers.filter((record) => record.type === type).map(textOf);
      if (texts.length > 0) return texts;
      throw networkError('ENODATA', `query${type} ENODATA ${name}`);
    }
    throw networkError('ENOTFOUND', `query${type} ENOTFOUND ${name}`);
  }

  async fetch(to: string | URL | Request, { from, ...init }: RequestInit & NetworkOptions = {}): Promise<Response> {
    await this.#options.informers.synced();
    const request = new Request(to, init);
    const target = new URL(request.url);
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
    const address = parseIp(host) ? host : await this.#addressOf(host, from);
    if (address === undefined || this.#isNode(address)) return this.#throughRouter(request, port);
    const client = this.#podNamed(from);
    return this.#reach(this.#endpointAt(address, port, client), request, client);
  }

  /** `undefined` for a name of the world outside, which leads to the router if that has a route for it. */
  async #addressOf(host: string, from: string | undefined): Promise<string | undefined> {
    try {
      const [address] = await this.resolve(host, { ...(from && { from }) });
      return address;
    } catch (error) {
      const { routes } = this.#options;
      if ((routes?.().ports.length ?? 0) === 0) throw error;
      return undefined;
    }
  }

  #isNode(address: string): boolean {
    const nodes = this.#options.informers.for(refs.nodes).list();
    return nodes.some(({ status }) => (status?.addresses ?? []).some((one) => one.address === address));
  }

  /** As the router of a real node would: it comes from the node, which policies never hold up. */
  async #throughRouter(request: Request, port: number): Promise<Response> {
    const { random, routes } = this.#options;
    const table = routes?.();
    if (!table?.ports.some((one) => one.port === port)) {
      const { hostname } = new URL(request.url);
      throw networkError('ECONNREFUSED', `connect ECONNREFUSED ${hostname}:${port}`);
    }
    return routeRequest(request, {
      table,
      port,
      random,
      endpointsOf: (target) => this.#endpoints.of(target),
      reach: (at, forwarded) => this.#reach(at, forwarded, undefined),
    });
  }

  async #reach(at: Pick<Endpoint, 'address' | 'port'>, request: Request, client: Pod | undefined): Promise<Response> {
    const [pod] = this.#options.informers.for(refs.pods).byIndex(byPodAddress, at.address);
    if (!pod) throw networkError('EHOSTUNREACH', `connect EHOSTUNREACH ${at.address}:${at.port}`);
    this.#judge(client, pod, at);
    const served = this.#served.find(({ pods }) => isServed(pods, pod, at.port))?.handler;
    const handler = served ?? this.#options.servers?.get(pod.metadata.uid, at.port);
    return handler ? handler(request, pod) : requestPort(request, pod, at.port);
  }

  /** The name as it is, or completed from the search path of a pod. */
  #candidates(name: string, from: string | undefined): string[] {
    if (name.endsWith('.')) return [name.toLowerCase()];
    const lower = `${name.toLowerCase()}.`;
    const namespace = from?.split('/')[0] || 'default';
    const { domain } = this.#zone;
    return [`${lower}${namespace}.svc.${domain}`, `${lower}svc.${domain}`, `${lower}${domain}`, lower];
  }

  #podNamed(from: string | undefined): Pod | undefined {
    if (from === undefined) return undefined;
    const pod = this.#options.informers.for(refs.pods).get(from);
    if (!pod) throw new Error(`there is no pod ${from}`);
    return pod;
  }

  #endpointAt(address: string, port: number, client: Pod | undefined): Pick<Endpoint, 'address' | 'port'> {
    const found = this.#serviceAt(address, port);
    if (!found) return { address, port };
    const { service, servicePort, family } = found;
    const key = `${service.metadata.namespace}/${service.metadata.name}`;
    const slices = this.#options.informers.for(refs.endpointSlices).byIndex(bySliceService, key);
    const topology = { nodeName: client?.spec?.nodeName ?? '', zone: this.#zoneOf(client) };
    const chosen = chooseEndpoints(endpointsOf(slices, servicePort, family), servicePort, topology);
    const candidates = servicePort.internalLocal ? chosen.local : chosen.cluster;
    if (candidates.length === 0) throw networkError('ECONNREFUSED', `connect ECONNREFUSED ${address}:${port}`);
    return this.#pick(candidates, servicePort, `${client?.metadata.uid ?? ''} ${address}:${port}`);
  }

  #pick(candidates: readonly Endpoint[], { affinitySeconds }: ServicePort, key: string): Endpoint {
    const affine =
      affinitySeconds > 0 ? candidates.find(({ address }) => address === this.#affinities.get(key)) : undefined;
    const chosen = affine ?? (candidates[randomInt(this.#options.random, candidates.length)] as Endpoint);
    if (affinitySeconds > 0) this.#affinities.set(key, chosen.address);
    return chosen;
  }

  #serviceAt(address: string, port: number): { service: Service; servicePort: ServicePort; family: 4 | 6 } | undefined {
    const family = address.includes(':') ? 6 : 4;
    for (const service of this.#options.informers.for(refs.services).list()) {
      const ports = servicePorts(service, family);
      const all = (one: ServicePort) => [...one.clusterIps, ...one.externalIps, ...one.loadBalancerIps];
      const servicePort = ports.find(
        (one) => one.port === port && one.protocol === 'tcp' && all(one).includes(address),
      );
      if (servicePort) return { service, servicePort, family };
    }
    return undefined;
  }

  #zoneOf(client: Pod | undefined): string {
    const nodes = this.#options.informers.for(refs.nodes);
    const node: Node | undefined = client?.spec?.nodeName ? nodes.get(client.spec.nodeName) : undefined;
    return node?.metadata.labels?.['topology.kubernetes.io/zone'] ?? '';
  }

  /** Traffic from the node is always allowed, as for kubelets. */
  #judge(client: Pod | undefined, pod: Pod, { address, port }: Pick<Endpoint, 'address' | 'port'>): void {
    if (!client) return;
    const { informers } = this.#options;
    const world = {
      policies: informers.for(refs.networkPolicies).list(),
      pods: informers.for(refs.pods).list(),
      namespaces: informers.for(refs.namespaces).list(),
    };
    const from: Party = { pod: client };
    if (isAllowed({ from, to: { pod }, port, protocol: 'TCP' }, world)) return;
    throw networkError('ETIMEDOUT', `connect ETIMEDOUT ${address}:${port}`);
  }
}

function isServed({ namespace, labels, port }: ServedPods, pod: Pod, at: number): boolean {
  if (namespace !== undefined && pod.metadata.namespace !== namespace) return false;
  if (port !== undefined && port !== at) return false;
  return LabelSelector.fromLabels(labels).matches(pod.metadata.labels);
}

function textOf(record: ReturnType<ClusterZone['answer']>['answers'][number]): string {
  if ('address' in record) return formatIp({ family: record.type === 'A' ? 4 : 6, bytes: record.address });
  if (record.type === 'SRV') return `${record.target.replace(/\.$/, '')}:${record.port}`;
  if (record.type === 'TXT') return record.text;
  return 'target' in record ? record.target.replace(/\.$/, '') : record.mname;
}

/** An error as sockets and resolvers throw it. */
function networkError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
