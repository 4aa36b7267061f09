import type { Pod } from '@coracle/api';
import type { DNSConfig } from '@coracle/cri';

/** Resolver configuration of the node. */
export interface DnsSettings {
  /** IP addresses of the cluster DNS; without them pods use the resolver of the node. */
  readonly clusterDns: readonly string[];
  /** `cluster.local`. */
  readonly clusterDomain: string;
  /** Content of the node's resolv.conf. */
  readonly node: Required<DNSConfig>;
}

/** Maximum numbers of entries in resolv.conf. */
const mostServers = 3;
const mostSearches = 32;
const mostSearchLetters = 2048;

export interface PodDns {
  readonly config: DNSConfig;
  /** Events about dropped entries. */
  readonly warnings: readonly string[];
}

/** The resolv.conf of a pod, according to its DNS policy and dnsConfig. */
export function podDns(pod: Pod, settings: DnsSettings): PodDns {
  const base = baseOf(pod, settings);
  const { nameservers = [], searches = [], options = [] } = pod.spec?.dnsConfig ?? {};
  const added = options.map(({ name = '', value }) => (value ? `${name}:${value}` : name));
  return bounded({
    servers: unique([...base.servers, ...nameservers]),
    searches: unique([...base.searches, ...searches]),
    options: mergeOptions(base.options, added),
  });
}

function baseOf({ metadata, spec }: Pod, { clusterDns, clusterDomain, node }: DnsSettings): Required<DNSConfig> {
  const policy = spec?.dnsPolicy ?? 'ClusterFirst';
  if (policy === 'None') return { servers: [], searches: [], options: [] };
  const usesCluster = policy === 'ClusterFirstWithHostNet' || (policy === 'ClusterFirst' && !spec?.hostNetwork);
  if (!usesCluster || clusterDns.length === 0) return node;
  const domain = clusterDomain;
  const searches = domain ? [`${metadata.namespace}.svc.${domain}`, `svc.${domain}`, domain] : [];
  return { servers: [...clusterDns], searches: [...searches, ...node.searches], options: ['ndots:5'] };
}

/** Options of the pod take precedence. */
function mergeOptions(base: readonly string[], added: readonly string[]): string[] {
  const nameOf = (option: string) => option.split(':', 1)[0] ?? '';
  const names = new Set(added.map(nameOf));
  return [...base.filter((option) => !names.has(nameOf(option))), ...added];
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))];
}

function bounded(config: Required<DNSConfig>): PodDns {
  const warnings: string[] = [];
  const servers = config.servers.slice(0, mostServers);
  if (servers.length < config.servers.length)
    warnings.push(
      `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${servers.join(' ')}`,
    );
  const searches = boundedSearches(config.searches);
  if (searches.length < config.searches.length)
    warnings.push(
      `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${searches.join(' ')}`,
    );
  return { config: { servers, searches, options: config.options }, warnings };
}

function boundedSearches(searches: readonly string[]): string[] {
  const result: string[] = [];
  let letters = 0;
  for (const search of searches.slice(0, mostSearches)) {
    letters += search.length + (result.length > 0 ? 1 : 0);
    if (letters > mostSearchLetters) break;
    result.push(search);
  }
  return result;
}

/** Parses a resolv.conf. */
export function parseResolvConf(text: string): Required<DNSConfig> {
  const found: Required<DNSConfig> = { servers: [], searches: [], options: [] };
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    if (keyword === 'nameserver' && values[0]) found.servers.push(values[0]);
    else if (keyword === 'search') found.searches = values.map((value) => value.replace(/(.)\.$/, '$1'));
    else if (keyword === 'options') found.options.push(...values);
  }
  return found;
}
