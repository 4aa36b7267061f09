import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { StoreOverride } from '@coracle/apiserver';
import {
  type Activity,
  type Clock,
  type DisposableStack,
  type Logger,
  noTracer,
  PrometheusMetrics,
  RecordingTracer,
  seededRandom,
} from '@coracle/base';
import {
  type ControlPlaneOptions,
  type PrometheusSettings,
  tracedResources,
  usualMaskSize,
} from '@coracle/control-plane';
import {
  type ClusterPki,
  createCertificateSigner,
  createProcessProfiler,
  createSystemRandom,
  logFolder,
  readProcessStats,
} from '@coracle/platform-nodejs';
import type { Store } from '@coracle/store';
import { createAudit } from './audit.js';
import { externalTokens } from './authentication.js';
import { createAuthorizer } from './authorization.js';
import type { ClusterOptions } from './cluster-options.js';
import { openExtenderTransport } from './extender-transport.js';
import type { StoreChoice } from './open-store.js';
import { openPrometheus } from './prometheus.js';
import type { Proxies } from './request-header.js';
import { tokenKeys } from './signing-keys.js';
import { reloadedTokens } from './static-tokens.js';

/** Parts of a cluster that every other part is made with. */
export interface ClusterContext {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activity: Activity;
  readonly store: Store;
  readonly storeOverrides: readonly StoreOverride[];
  readonly storeKind: StoreChoice['kind'];
  readonly parts: DisposableStack;
}

/** Options of the control plane from those of the cluster. */
export async function controlPlaneOptions(
  { requestHeader: _files, wrap: _wrap, audit, authentication, authorization, prometheus, ...options }: ClusterOptions,
  { clock, logger, activity, store, storeOverrides, storeKind, parts }: ClusterContext,
  { pki, proxies }: { readonly pki: ClusterPki | undefined; readonly proxies: Proxies | undefined },
): Promise<ControlPlaneOptions> {
  const metrics = new PrometheusMetrics();
  return {
    ...options,
    ...staticTokensOf(options, { logger, parts }),
    ...(authentication && { externalTokens: externalTokens(authentication, { clock, logger, parts }) }),
    ...(authorization && { externalAuthorizer: createAuthorizer(authorization, { clock, logger, parts }) }),
    ...(prometheus && { prometheus: prometheusAt(prometheus, parts) }),
    ...(audit && { audit: createAudit(audit, { clock, logger, metrics, parts }) }),
    store,
    storeOverrides,
    clock,
    logger,
    activity,
    random: options.seed === undefined ? createSystemRandom() : seededRandom(options.seed),
    ...(storeKind === 'etcd' && sharedStoreOptions(options)),
    metrics,
    processStats: readProcessStats,
    ...(options.logFolder !== undefined && { logFiles: logFolder(options.logFolder) }),
    ...(options.profiling !== false && { profiler: createProcessProfiler() }),
    tracer: options.traces ? new RecordingTracer({ clock, resources: tracedResources }) : noTracer,
    ...(pki && { caCertificate: pki.ca.certificate, certificateSigner: createCertificateSigner(pki.ca) }),
    ...(await tokenKeys(options.tokenKeys ?? {}, pki)),
    ...(proxies && { requestHeader: proxies.options }),
    ...podRanges(options),
    ...(options.scheduler && { scheduler: withExtenders(options.scheduler, parts) }),
  };
}

function staticTokensOf(
  { staticTokens: text, staticTokenFile: file }: ClusterOptions,
  deps: Pick<ClusterContext, 'logger' | 'parts'>,
): Pick<ControlPlaneOptions, 'staticTokens'> {
  return file === undefined || typeof text !== 'string' ? {} : { staticTokens: reloadedTokens(file, text, deps) };
}

function prometheusAt(
  { url, rules }: NonNullable<ClusterOptions['prometheus']>,
  parts: DisposableStack,
): PrometheusSettings {
  return { rules, source: parts.use(openPrometheus(url)).source };
}

function withExtenders(
  scheduler: NonNullable<ClusterOptions['scheduler']>,
  parts: DisposableStack,
): NonNullable<ControlPlaneOptions['scheduler']> {
  if (!scheduler.configuration?.extenders?.length) return scheduler;
  return { ...scheduler, extenderTransport: parts.use(openExtenderTransport()).transport };
}

/** If this machine connects pods, nodes get pod CIDRs. */
function podRanges({ nodeIpam, realNode }: ClusterOptions): Pick<ControlPlaneOptions, 'nodeIpam'> {
  if (nodeIpam) return { nodeIpam };
  if (!realNode?.network) return {};
  const ranges = realNode.network.clusterCidrs.map((cidr) => ({
    cidr,
    maskSize: usualMaskSize[cidr.includes(':') ? 6 : 4],
  }));
  return { nodeIpam: { ranges } };
}

/** An etcd can be shared with other API servers; the other stores cannot. */
function sharedStoreOptions({ storageMediaType }: ClusterOptions): Partial<ControlPlaneOptions> {
  return {
    sharesStore: true,
    hostname: hostname(),
    // As kube-apiserver does, so that tools which read an etcd find the same keys.
    storageMediaType: storageMediaType ?? 'application/vnd.kubernetes.protobuf',
    leaderElection: { identity: `${hostname()}_${randomUUID()}` },
  };
}
