import type { apiextensionsv1 } from '@coracle/api';
import type { ApiRequest, ApiResponse, Channel, Exchange } from '@coracle/apimachinery';
import type { Activity, Clock, Logger, Metrics, Millis, Random, Tracer } from '@coracle/base';
import type { Store } from '@coracle/store';
import type { AdmissionPlugin } from './admission/admission.js';
import type { ParamSource } from './admission/policies/policy-params.js';
import type { ProxyIdentity } from './aggregation/api-service-table.js';
import type { Authenticator } from './authentication/authenticator.js';
import type { Authorizer } from './authorization/authorizer.js';
import type { AuthenticationInfo } from './bootstrap/authentication-info.js';
import type { EndpointReconciler } from './bootstrap/endpoint-reconciler.js';
import type { ServerAddress } from './bootstrap/kubernetes-service.js';
import type { LogFiles } from './endpoints/logs.js';
import type { ProcessStats } from './endpoints/process-metrics.js';
import type { Profiler } from './endpoints/profiling.js';
import type { FeatureGates } from './features/feature-gates.js';
import type { AuditOptions } from './filters/audit.js';
import type { InFlightLimits } from './filters/in-flight-limits.js';
import type { Handler } from './handler-chain.js';
import type { HealthCheck } from './health/health-checks.js';
import type { PostStartHooks } from './health/post-start-hooks.js';
import type { ObjectReader, ObjectWriter } from './object-reader.js';
import type { Dialer } from './outbound/dialer.js';
import type { OutboundOptions } from './outbound/outbound.js';
import type { ServiceRangeOptions } from './registry/core/service-allocation/service-ranges.js';
import type { ResourceTable } from './registry/resource-table.js';
import type { RuntimeConfig } from './registry/runtime-config.js';
import type { SubresourceTable } from './registry/subresource.js';
import type { Needs, ServerParts } from './server-parts.js';

/** A custom resource that is built into a server: the spec of a CRD that is not stored. */
export type ServedCrd = Pick<apiextensionsv1.CustomResourceDefinition, 'spec'>;

/** Dependencies of the admission plugins. */
export interface AdmissionParts extends Needs<'objects' | 'writer' | 'outbound'> {
  readonly params: ParamSource;
}

/** A built-in resource that has another store than the rest. */
export interface StoreOverride {
  readonly group: string;
  readonly resource: string;
  readonly store: Store;
}

export interface ApiServerOptions {
  readonly store: Store;
  /** Each store counts its own revisions. */
  readonly storeOverrides?: readonly StoreOverride[];
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Notified when requests may have to wait for time to pass. */
  readonly activity?: Activity;
  /** With a `PrometheusMetrics`, `/metrics` is served. */
  readonly metrics: Metrics;
  /** Statistics of the process for `/metrics`. */
  readonly processStats?: () => ProcessStats;
  readonly tracer: Tracer;
  /** If set, `/debug/pprof` is served. */
  readonly profiler?: Profiler;
  /** If set, `/logs` is served. */
  readonly logFiles?: LogFiles;
  /** Command-line flags, for `/flagz`. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly authenticators: (parts: Needs<'objects' | 'writer' | 'outbound'>) => readonly Authenticator[];
  readonly authorizer: (parts: Needs<'objects' | 'outbound'>) => Authorizer;
  /** Called in this order. Their own writes bypass admission. */
  readonly admission: (parts: AdmissionParts) => readonly AdmissionPlugin[];
  /** Opens outgoing connections; the server opens none unless set. */
  readonly dialer?: Dialer;
  /** The client certificate that the server presents to aggregated API servers. */
  readonly proxyIdentity?: () => ProxyIdentity;
  /** Reaches pods that run in this process, by their addresses. */
  readonly podDialer?: OutboundOptions['podDialer'];
  readonly runtimeConfig?: RuntimeConfig;
  /** Serves these custom resources and no built-in ones: for an aggregated API server. */
  readonly crds?: readonly ServedCrd[];
  /** As in upstream v1.36 unless stated. */
  readonly features?: FeatureGates;
  /** Implementations of subresources that need more than the store, such as signing keys or access to nodes. */
  readonly subresources?: (parts: ServerParts) => SubresourceTable;
  /** Non-resource paths in addition to the standard ones. A path that ends in a slash includes all paths below it. */
  readonly endpoints?: (parts: ServerParts) => Readonly<Record<string, Handler>>;
  /** `host:port` in discovery, until another address of the server is announced. */
  readonly serverAddress?: string;
  readonly corsAllowedOrigins?: readonly string[];
  readonly requestTimeoutMs?: Millis;
  /** Watches without a timeout end after a random time between this and twice as long. */
  readonly minWatchMs?: Millis;
  /** Audits requests according to a policy; no auditing unless set. */
  readonly audit?: ((parts: Needs<'outbound'>) => AuditOptions) | undefined;
  readonly inFlightLimits?: InFlightLimits;
  /** Whether requests are classified and queued fairly; with false there are two plain queues. True unless stated. */
  readonly priorityAndFairness?: boolean;
  /** Whether containers may be privileged; true unless stated. */
  readonly allowsPrivileged?: boolean;
  /** Registration of servers as endpoints of the service `kubernetes`. */
  readonly endpointReconciler?: EndpointReconciler;
  /** Time to live of events; an hour by default. */
  readonly eventTtlSeconds?: number;
  /**
   * Whether to create the objects of every cluster (system namespaces, priority classes …) before the first request.
   * True unless stated.
   */
  readonly bootstraps?: boolean;
  /** Whether other API servers may use the same store. */
  readonly sharesStore?: boolean;
  /** The host name, which distinguishes the servers of a shared store. */
  readonly hostname?: string;
  /** How objects are written to the store; JSON unless stated. Both are read. */
  readonly storageMediaType?: StorageMediaType;
  /** Where the addresses and ports of services come from. */
  readonly serviceRanges?: ServiceRangeOptions;
  /** Freezes shared objects, so that code which changes one throws. For tests, because it costs time. */
  readonly freezesObjects?: boolean;
  /** Fails if messages to the log are lost. */
  readonly checkLog?: () => void;
  /** Checks of `/healthz`, `/livez` and `/readyz` in addition to those of the server. */
  readonly healthChecks?: readonly HealthCheck[];
}

export interface ApiServer extends AsyncDisposable {
  readonly exchange: Exchange;
  readonly features: FeatureGates;
  /**
   * Opens a channel through the same filters: exec, attach, port-forward. A rejection is thrown as a `StatusError`.
   */
  connect(request: ApiRequest, protocols: readonly string[]): Promise<Channel>;
  /** The same for the HTTP server: a rejection is returned as the response to send. */
  upgrade(request: ApiRequest, protocols: readonly string[]): Promise<Channel | ApiResponse>;
  readonly objects: ObjectReader;
  readonly writer: ObjectWriter;
  readonly resources: ResourceTable;
  readonly parts: ServerParts;
  /** Additional post-start hooks, shown by the health endpoints. */
  readonly hooks: PostStartHooks;
  /** Registers the server as an endpoint of the `kubernetes` service, once it listens. */
  announce(address: ServerAddress): Promise<void>;
  /** Publishes how this server authenticates clients. */
  publish(info: AuthenticationInfo): Promise<void>;
  /** Begins the shutdown: the server is no longer ready, but continues serving until it is disposed. */
  shutDown(): void;
  /** From now on the server answers only health checks and GETs of single leases: all other requests are rejected. */
  refuse(): void;
}

export const protobufType = 'application/vnd.kubernetes.protobuf';

export type StorageMediaType = 'application/json' | typeof protobufType;
