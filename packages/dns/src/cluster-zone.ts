import { type EndpointSlice, type Namespace, refs, type Service } from '@coracle/api';
import { formatIp, type IpAddress, parseIp } from '@coracle/apimachinery';
import type { InformerFactory, SharedInformer } from '@coracle/client';
import { type Answer, type DnsRecord, type RecordType, recordTypes } from './record.js';
import { addressOfReverseName } from './reverse-name.js';

export interface ClusterZoneOptions {
  readonly informers: InformerFactory;
  /** `cluster.local`. */
  readonly domain: string;
  readonly ttl?: number;
}

interface ZoneQuestion {
  readonly name: string;
  readonly type: number;
}

/** One endpoint of a headless service. */
interface HeadlessEndpoint {
  /** Its own host name, or its address with dashes. */
  readonly hostname: string;
  readonly address: IpAddress;
  readonly ports: readonly { readonly name: string; readonly protocol: string; readonly port: number }[];
}

const schema = '1.1.0';
const byService = 'dns-service';
const byClusterIp = 'dns-cluster-ip';
const byEndpoint = 'dns-endpoint';

const serviceOfSlice = ({ metadata }: EndpointSlice): readonly string[] => {
  const name = metadata.labels?.['kubernetes.io/service-name'];
  return name ? [`${metadata.namespace}/${name}`] : [];
};
const clusterIpsOf = ({ spec }: Service): readonly string[] =>
  (spec?.clusterIPs ?? [spec?.clusterIP ?? '']).filter((one) => one !== '' && one !== 'None');
const addressesOf = ({ endpoints }: EndpointSlice): readonly string[] => [
  ...new Set((endpoints ?? []).flatMap(({ addresses }) => addresses)),
];

/** The names of the cluster, by the Kubernetes DNS specification 1.1: answers are computed from informers. */
export class ClusterZone {
  /** With a dot at the end. */
  readonly domain: string;
  readonly #ttl: number;
  readonly #services: SharedInformer<Service>;
  readonly #slices: SharedInformer<EndpointSlice>;
  readonly #namespaces: SharedInformer<Namespace>;

  constructor({ informers, domain, ttl = 5 }: ClusterZoneOptions) {
    this.domain = `${domain.toLowerCase().replace(/\.$/, '')}.`;
    this.#ttl = ttl;
    this.#services = informers.for(refs.services);
    this.#slices = informers.for(refs.endpointSlices);
    this.#namespaces = informers.for(refs.namespaces);
    this.#slices.addIndex(byService, serviceOfSlice);
    this.#slices.addIndex(byEndpoint, addressesOf);
    this.#services.addIndex(byClusterIp, clusterIpsOf);
  }

  /** Calls `changed` whenever an answer may have become another. */
  onChange(changed: () => void): Disposable[] {
    return [this.#services, this.#slices, this.#namespaces].map((informer) => informer.addHandler(() => changed()));
  }

  get hasSynced(): boolean {
    return this.#services.hasSynced && this.#slices.hasSynced && this.#namespaces.hasSynced;
  }

  covers(name: string): boolean {
    return name === this.domain || name.endsWith(`.${this.domain}`);
  }

  /** The response to a question below the zone. An external name at the end of a CNAME is left to the caller. */
  answer(question: ZoneQuestion): Answer {
    const found = this.#find(question.name);
    if (!found) return this.#negative('NXDOMAIN');
    const aliases = found.filter(({ type }) => type === 'CNAME');
    const answers = aliases.length > 0 ? this.#follow(aliases, question.type) : found.filter(ofType(question.type));
    if (answers.length === 0) return this.#negative('NOERROR');
    return { code: 'NOERROR', answers, authority: [], additional: this.#targets(answers) };
  }

  /**
   * The answer to a short name such as `web.default`, which clients should have completed from their search path and
   * some do not; `undefined` if no service has it.
   */
  completed({ name, type }: ZoneQuestion): Answer | undefined {
    if (!/^[^.]+\.[^.]+\.(?:svc\.)?$/.test(name)) return undefined;
    const target = `${name.replace(/svc\.$/, '')}svc.${this.domain}`;
    if (!this.#find(target)?.length) return undefined;
    const answers = this.#follow([{ type: 'CNAME', name, ttl: this.#ttl, target }], type);
    return { code: 'NOERROR', answers, authority: [], additional: [] };
  }

  /** The answer to a reverse question about an address of the cluster; `undefined` for other addresses. */
  reverse({ name, type }: ZoneQuestion): Answer | undefined {
    const address = addressOfReverseName(name);
    const targets = address ? this.#namesOf(address) : [];
    if (targets.length === 0) return undefined;
    if (type !== recordTypes.PTR) return this.#negative('NOERROR');
    const answers = targets.map((target) => ({ type: 'PTR' as const, name, ttl: this.#ttl, target }));
    return { code: 'NOERROR', answers, authority: [], additional: [] };
  }

  /** All records of a name; empty for one that exists and has none; `undefined` for one that does not exist. */
  #find(name: string): DnsRecord[] | undefined {
    if (name === this.domain) return [this.#soa(), this.#ns()];
    const labels = name.slice(0, -this.domain.length - 1).split('.');
    const kind = labels.pop();
    if (kind === 'dns-version' && labels.length === 0) return [{ type: 'TXT', name, ttl: this.#ttl, text: schema }];
    if (kind === 'dns' && labels.length === 1 && labels[0] === 'ns') return this.#addresses(name, this.#ownIps());
    if (kind === 'svc') return this.#findService(name, labels);
    if (kind === 'pod') return this.#findPod(name, labels);
    return undefined;
  }

  #findService(name: string, labels: string[]): DnsRecord[] | undefined {
    const namespace = labels.pop();
    if (namespace === undefined) return [];
    if (labels.length === 0) return this.#namespaces.get(namespace) ? [] : undefined;
    const service = this.#services.get(`${namespace}/${labels.pop()}`);
    if (!service) return undefined;
    if (service.spec?.type === 'ExternalName') return labels.length === 0 ? this.#alias(name, service) : undefined;
    const headless = service.spec?.clusterIP === 'None';
    if (labels.length === 0) return headless ? this.#headless(name, service) : this.#clusterIp(name, service);
    if (labels.length === 1 && headless) return this.#endpoint(name, service, labels[0] ?? '');
    return labels.length === 2 ? this.#named(name, service, labels) : undefined;
  }

  #clusterIp(name: string, service: Service): DnsRecord[] {
    const ports = (service.spec?.ports ?? []).map(({ port }) => this.#srv(name, port, name));
    return [...this.#addresses(name, clusterIpsOf(service)), ...ports];
  }

  #headless(name: string, service: Service): DnsRecord[] | undefined {
    const endpoints = this.#endpoints(service);
    if (endpoints.length === 0) return [];
    const servers = endpoints.flatMap(({ hostname, ports }) =>
      ports.map(({ port }) => this.#srv(name, port, `${hostname}.${name}`)),
    );
    return [...endpoints.map(({ address }) => this.#address(name, address)), ...servers];
  }

  #endpoint(name: string, service: Service, hostname: string): DnsRecord[] | undefined {
    const found = this.#endpoints(service).filter((endpoint) => endpoint.hostname === hostname);
    return found.length > 0 ? found.map(({ address }) => this.#address(name, address)) : undefined;
  }

  /** `_http._tcp.web`: the port of that name. */
  #named(name: string, service: Service, [port = '', protocol = '']: string[]): DnsRecord[] | undefined {
    if (!port.startsWith('_') || !protocol.startsWith('_')) return undefined;
    const is = (one: { readonly name?: string; readonly protocol?: string }) =>
      `_${one.name ?? ''}` === port && `_${(one.protocol ?? 'TCP').toLowerCase()}` === protocol;
    const owner = name.slice(port.length + protocol.length + 2);
    const servers =
      service.spec?.clusterIP === 'None'
        ? this.#endpoints(service).flatMap(({ hostname, ports }) =>
            ports.filter(is).map((found) => this.#srv(name, found.port, `${hostname}.${owner}`)),
          )
        : (service.spec?.ports ?? []).filter(is).map((found) => this.#srv(name, found.port, owner));
    return servers.length > 0 ? servers : undefined;
  }

  #alias(name: string, { spec }: Service): DnsRecord[] {
    const target = `${(spec?.externalName ?? '').toLowerCase().replace(/\.$/, '')}.`;
    return [{ type: 'CNAME', name, ttl: this.#ttl, target }];
  }

  /** `10-244-0-5.default.pod`: the name contains the address. */
  #findPod(name: string, labels: string[]): DnsRecord[] | undefined {
    const namespace = labels.pop();
    if (namespace === undefined) return [];
    if (!this.#namespaces.get(namespace)) return undefined;
    if (labels.length === 0) return [];
    const [dashed = ''] = labels;
    const address = parseIp(dashed.replaceAll('-', '.')) ?? parseIp(dashed.replaceAll('-', ':'));
    return labels.length === 1 && address ? [this.#address(name, address)] : undefined;
  }

  /** Ready endpoints, or all of them if the service publishes not-ready addresses, which the slices have already. */
  #endpoints({ metadata }: Service): HeadlessEndpoint[] {
    const found = new Map<string, HeadlessEndpoint>();
    for (const slice of this.#slices.byIndex(byService, `${metadata.namespace}/${metadata.name}`)) {
      const ports = (slice.ports ?? []).map(({ name = '', protocol = 'TCP', port = 0 }) => ({ name, protocol, port }));
      for (const { addresses, conditions, hostname } of slice.endpoints ?? []) {
        const address = (conditions?.ready ?? true) ? parseIp(addresses[0] ?? '') : undefined;
        if (!address) continue;
        const text = formatIp(address);
        found.set(text, { hostname: hostname ?? text.replace(/[.:]/g, '-'), address, ports });
      }
    }
    return [...found.values()];
  }

  /** The chain of aliases within the zone, and the records at its end. */
  #follow(aliases: readonly DnsRecord[], type: number): DnsRecord[] {
    if (type === recordTypes.CNAME) return [...aliases];
    const chain = [...aliases];
    for (let last = chain.at(-1); last?.type === 'CNAME' && chain.length < 8; last = chain.at(-1)) {
      const found = this.covers(last.target) ? this.#find(last.target) : undefined;
      const next = found?.filter((record) => record.type === 'CNAME' || ofType(type)(record)) ?? [];
      if (next.length === 0) break;
      chain.push(...next);
    }
    return chain;
  }

  /** The addresses of the targets of SRV records, so that clients need no second query. */
  #targets(answers: readonly DnsRecord[]): DnsRecord[] {
    const targets = new Set(answers.flatMap((record) => (record.type === 'SRV' ? [record.target] : [])));
    return [...targets].flatMap((target) =>
      (this.#find(target) ?? []).filter(({ type }) => type === 'A' || type === 'AAAA'),
    );
  }

  #namesOf(address: string): string[] {
    const names = this.#services
      .byIndex(byClusterIp, address)
      .map(({ metadata }) => `${metadata.name}.${metadata.namespace}.svc.${this.domain}`);
    if (names.length > 0) return names;
    return this.#slices.byIndex(byEndpoint, address).flatMap((slice) => {
      const [key = ''] = serviceOfSlice(slice);
      const service = this.#services.get(key);
      if (service?.spec?.clusterIP !== 'None') return [];
      return this.#endpoints(service)
        .filter((endpoint) => formatIp(endpoint.address) === address)
        .map(({ hostname }) => `${hostname}.${service.metadata.name}.${service.metadata.namespace}.svc.${this.domain}`);
    });
  }

  #negative(code: 'NXDOMAIN' | 'NOERROR'): Answer {
    return { code, answers: [], authority: [this.#soa()], additional: [] };
  }

  #ownIps(): readonly string[] {
    const service = this.#services.get('kube-system/kube-dns');
    return service ? clusterIpsOf(service) : [];
  }

  #soa(): DnsRecord {
    const mname = `ns.dns.${this.domain}`;
    const rname = `hostmaster.${this.domain}`;
    return { type: 'SOA', name: this.domain, ttl: this.#ttl, mname, rname, serial: 1, minimum: this.#ttl };
  }

  #ns(): DnsRecord {
    return { type: 'NS', name: this.domain, ttl: this.#ttl, target: `ns.dns.${this.domain}` };
  }

  #addresses(name: string, texts: readonly string[]): DnsRecord[] {
    return texts.flatMap((text) => {
      const address = parseIp(text);
      return address ? [this.#address(name, address)] : [];
    });
  }

  #address(name: string, { family, bytes }: IpAddress): DnsRecord {
    return { type: family === 4 ? 'A' : 'AAAA', name, ttl: this.#ttl, address: bytes };
  }

  #srv(name: string, port: number, target: string): DnsRecord {
    return { type: 'SRV', name, ttl: this.#ttl, priority: 0, weight: 100, port, target };
  }
}

function ofType(type: number): (record: { readonly type: RecordType }) => boolean {
  return (record) => recordTypes[record.type] === type;
}
