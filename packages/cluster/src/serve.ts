import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { maxRequestBytes } from '@coracle/apimachinery';
import { type Clock, type Logger, type Millis, sleep } from '@coracle/base';
import type { ControlPlane } from '@coracle/control-plane';
import type { ClusterPki, HttpServer, TlsSettings } from '@coracle/platform-nodejs';
import { kubeconfigFor, writeKubeconfig } from './kubeconfig.js';
import { podListener } from './pod-listener.js';
import type { Proxies } from './request-header.js';
import {
  type CertificateFiles,
  keepCertificatesCurrent,
  readServingTls,
  type ServingTls,
  servedTls,
} from './serving-certificates.js';

/** Listening address. */
export interface Address {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

export interface Serving extends AsyncDisposable {
  readonly url: string;
  /** The administrator's, as it is now. */
  readonly kubeconfig: string;
}

/** Reads the cluster's keys, and creates missing ones. */
export async function openPki(options: {
  readonly certDir: string;
  readonly clock: Clock;
  readonly serviceAddress: string;
}): Promise<ClusterPki> {
  const { openClusterPki } = await import('@coracle/platform-nodejs');
  return openClusterPki({ folder: options.certDir, clock: options.clock, serviceAddress: options.serviceAddress });
}

export function certDirIn(dataDir: string): string {
  return join(dataDir, 'pki');
}

/** The part of the API server that is used. */
type ServedServer = Pick<ControlPlane['server'], 'exchange' | 'upgrade' | 'publish' | 'announce' | 'shutDown'> & {
  readonly features: Pick<ControlPlane['server']['features'], 'isOn'>;
};

export interface ServeOptions {
  readonly controlPlane: { readonly server: ServedServer };
  readonly pki: ClusterPki;
  readonly files: CertificateFiles;
  /** Reads the keys again, and renews those that expire soon. */
  openPki(): Promise<ClusterPki>;
  readonly address: Address;
  /** The address at which clients reach the server, if it is not the listening address. */
  readonly advertiseAddress?: string | undefined;
  /** Ranges of pods on real nodes, which reach the server at the address that it advertises. */
  readonly podCidrs?: readonly string[] | undefined;
  /** Authenticating proxies. */
  readonly proxies?: Proxies | undefined;
  readonly tls?: TlsSettings | undefined;
  /** Shutdown delay: time for which it keeps serving while it is not ready. */
  readonly shutdownDelayMs?: Millis | undefined;
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfigFile?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Opens the HTTPS port. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { controlPlane, pki, address, logger } = options;
  const { serveUpgrades, startHttpServer } = await import('@coracle/platform-nodejs');
  const tls = await readServingTls(options.files, pki);
  const host = options.advertiseAddress ?? advertisedHost(address.host);
  const http: HttpServer = await startHttpServer({
    exchange: controlPlane.server.exchange,
    onUpgrade: serveUpgrades(controlPlane.server.upgrade),
    ...address,
    also: podListener({ host: address.host, advertised: host, podCidrs: options.podCidrs ?? [] }),
    tls: { ...servedTls(tls), ...(options.tls && { settings: options.tls }) },
    maxBodyBytes: maxRequestBytes,
    compresses: controlPlane.server.features.isOn('APIResponseCompression'),
    logger,
  });
  const { proxies } = options;
  const publish = ({ clientCa }: ServingTls) =>
    controlPlane.server.publish({ clientCa, ...(proxies && { requestHeader: proxies.info() }) });
  await Promise.all([controlPlane.server.announce({ ...(host && { host }), port: http.port }), publish(tls)]);
  const url = `https://${hostInUrl(address.host)}:${http.port}`;
  let kubeconfig = '';
  const keepKubeconfig = async (current: ClusterPki, shown: ServingTls) => {
    const next = administratorsKubeconfig(url, current, options.files.serving ? shown.certificate : undefined);
    if (next === kubeconfig) return;
    if (options.kubeconfigFile !== undefined) await writeKubeconfig(options.kubeconfigFile, next);
    kubeconfig = next;
  };
  const { files, openPki, clock } = options;
  const onRead = async (current: ClusterPki, shown: ServingTls) => {
    await proxies?.refresh();
    await Promise.all([keepKubeconfig(current, shown), publish(shown)]);
  };
  const renewal = keepCertificatesCurrent(http, tls, { files, openPki, onRead, clock, logger });
  try {
    await keepKubeconfig(pki, tls);
  } catch (error) {
    renewal[Symbol.dispose]();
    await http[Symbol.asyncDispose]();
    throw error;
  }
  return {
    url,
    get kubeconfig() {
      return kubeconfig;
    },
    [Symbol.asyncDispose]: async () => {
      controlPlane.server.shutDown();
      renewal[Symbol.dispose]();
      if (options.shutdownDelayMs) await sleep(clock, options.shutdownDelayMs);
      await http[Symbol.asyncDispose]();
    },
  };
}

/** A certificate that the cluster's CA did not sign is trusted directly: its issuer is not known here. */
function administratorsKubeconfig(url: string, pki: ClusterPki, foreign: string | undefined): string {
  return kubeconfigFor({
    server: url,
    caCertificate: foreign ?? pki.ca.certificate,
    clientCertificate: pki.admin.certificate,
    clientKey: pki.admin.key,
  });
}

/** A server that listens on every address is reached on this machine's own. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * The address at which other machines and pods reach the server: the listening address, or this machine's first one.
 */
function advertisedHost(host: string): string | undefined {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outside = own.filter(({ internal }) => !internal);
  const found = outside.find(({ address }) => address === host) ?? outside.find(({ family }) => family === 'IPv4');
  return found?.address;
}
