import { parseCidr, parseDuration } from '@coracle/apimachinery';
import { isRecord, type Millis } from '@coracle/base';
import type { ProxyMode } from './proxy-pages.js';

/** The fields of a `KubeProxyConfiguration` that have an effect. */
export interface ProxyConfiguration {
  /** `userspace` if the file sets it, though the machine may have nftables. */
  readonly mode: ProxyMode;
  readonly kubeconfig: string | undefined;
  readonly hostnameOverride: string | undefined;
  /** `HOST:PORT`; empty for none. */
  readonly healthzBindAddress: string;
  readonly metricsBindAddress: string;
  readonly podNetworks: readonly string[];
  readonly nodePortAddresses: readonly string[];
  readonly masqueradeAll: boolean;
  readonly masqueradeBit: number;
  readonly syncPeriodMs: Millis;
  readonly minSyncPeriodMs: Millis;
  /** Warnings about settings without effect. */
  readonly notes: readonly string[];
}

const apiVersion = 'kubeproxy.config.k8s.io/v1alpha1';

/** Reads the configuration file of kube-proxy. Fails with everything that is wrong with it. */
export function parseProxyConfiguration(value: unknown): ProxyConfiguration {
  const reader = new Reader(value);
  const { file, problems } = reader;
  if (file['apiVersion'] !== apiVersion || file['kind'] !== 'KubeProxyConfiguration')
    problems.push(`it must be a KubeProxyConfiguration of ${apiVersion}`);
  const mode = reader.text(file, 'mode') ?? '';
  if (!['', 'nftables', 'iptables', 'ipvs', 'userspace'].includes(mode))
    problems.push(`mode: unknown mode ${JSON.stringify(mode)}`);
  const rules = reader.object(mode === 'iptables' || mode === 'ipvs' ? mode : 'nftables');
  const addresses = reader.texts('nodePortAddresses');
  const primary = addresses.includes('primary');
  const configuration: ProxyConfiguration = {
    mode: mode === 'userspace' ? mode : 'nftables',
    kubeconfig: reader.text(reader.object('clientConnection'), 'kubeconfig'),
    hostnameOverride: reader.text(file, 'hostnameOverride'),
    healthzBindAddress: bindAddress(reader.text(file, 'healthzBindAddress'), '0.0.0.0:10256'),
    metricsBindAddress: bindAddress(reader.text(file, 'metricsBindAddress'), '127.0.0.1:10249'),
    podNetworks: reader.networks('clusterCIDR', (reader.text(file, 'clusterCIDR') ?? '').split(',')),
    nodePortAddresses: primary ? [] : reader.networks('nodePortAddresses', addresses),
    masqueradeAll: rules['masqueradeAll'] === true,
    masqueradeBit: reader.bit(rules['masqueradeBit']),
    syncPeriodMs: reader.duration(rules, 'syncPeriod', 30_000),
    minSyncPeriodMs: reader.duration(rules, 'minSyncPeriod', 0),
    notes: [
      ...(mode === 'iptables' || mode === 'ipvs' ? [`mode ${mode}: services are served by nftables`] : []),
      ...(primary ? ['nodePortAddresses primary: node ports are served on every address of the node'] : []),
    ],
  };
  if (problems.length > 0) throw new Error(problems.join('; '));
  return configuration;
}

/** The defaults without a file. */
export function usualProxyConfiguration(): ProxyConfiguration {
  return parseProxyConfiguration({ apiVersion, kind: 'KubeProxyConfiguration' });
}

/** An address without a port keeps the default port. */
function bindAddress(address: string | undefined, usual: string): string {
  if (address === undefined) return usual;
  const port = usual.slice(usual.lastIndexOf(':'));
  return address === '' || /(\]|^[^:]*):\d+$/.test(address) ? address : `${address}${port}`;
}

class Reader {
  readonly file: Record<string, unknown>;
  readonly problems: string[] = [];

  constructor(value: unknown) {
    this.file = isRecord(value) ? value : {};
  }

  object(field: string): Record<string, unknown> {
    const value = this.file[field];
    if (value === undefined || value === null) return {};
    if (isRecord(value)) return value;
    this.problems.push(`${field}: it must be an object`);
    return {};
  }

  text(object: Record<string, unknown>, field: string): string | undefined {
    const value = object[field];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value;
    this.problems.push(`${field}: it must be a text`);
    return undefined;
  }

  texts(field: string): string[] {
    const value = this.file[field];
    if (value === undefined || value === null) return [];
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
    this.problems.push(`${field}: it must be a list of texts`);
    return [];
  }

  networks(field: string, values: readonly string[]): string[] {
    const networks = values.map((one) => one.trim()).filter((one) => one !== '');
    for (const network of networks)
      if (!parseCidr(network)) this.problems.push(`${field}: ${JSON.stringify(network)} is no network`);
    return networks;
  }

  bit(value: unknown): number {
    if (value === undefined || value === null) return 14;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 31) return value;
    this.problems.push('masqueradeBit: it must be between 0 and 31');
    return 14;
  }

  duration(object: Record<string, unknown>, field: string, usual: Millis): Millis {
    const text = this.text(object, field);
    if (text === undefined) return usual;
    const ms = parseDuration(text);
    if (ms !== undefined && ms >= 0) return ms === 0 ? usual : ms;
    this.problems.push(`${field}: ${JSON.stringify(text)} is no duration`);
    return usual;
  }
}
