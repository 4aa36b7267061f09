import type { Activity, Clock, Logger } from '@coracle/base';
import type { Transport } from '@coracle/client';
import type { ControlPlaneOptions, PrometheusSettings } from '@coracle/control-plane';
import type { RuntimeService } from '@coracle/cri';
import type { TlsSettings } from '@coracle/platform-nodejs';
import type { Store } from '@coracle/store';
import type { AuditSettings } from './audit.js';
import type { AuthenticationSettings } from './authentication.js';
import type { AuthorizationSettings } from './authorization.js';
import type { KubeletClientFiles } from './nodes/kubelet-client.js';
import type { RealNodeProviderOptions } from './nodes/real-node-provider.js';
import type { StoreChoice, StoreOverrideChoice } from './open-store.js';
import type { RequestHeaderFiles } from './request-header.js';
import type { Address } from './serve.js';
import type { CertificateFiles } from './serving-certificates.js';
import type { TokenKeyTexts } from './signing-keys.js';

/** Context for wrappers of seams. */
export interface WrapperDependencies {
  /** Held while work is in progress in a wrapper. */
  readonly activity: Activity;
}

/** Replacements of seams. */
export interface SeamWrappers {
  readonly clock?: (clock: Clock) => Clock;
  readonly store?: (store: Store) => Store;
  /** Of the components; `cluster.client` talks to the API server directly. */
  readonly transport?: (transport: Transport) => Transport;
  /** Of each simulated node. */
  readonly runtime?: (runtime: RuntimeService) => RuntimeService;
}

/** Options of a cluster. All are optional. */
export interface ClusterOptions
  extends Partial<
    Pick<
      ControlPlaneOptions,
      | 'authorizationModes'
      | 'authorizationPolicies'
      | 'serviceRanges'
      | 'staticTokens'
      | 'admission'
      | 'runtimeConfig'
      | 'features'
      | 'issuer'
      | 'components'
      | 'corsAllowedOrigins'
      | 'requestTimeoutMs'
      | 'onProgress'
      | 'debugRequests'
      | 'minWatchMs'
      | 'inFlightLimits'
      | 'priorityAndFairness'
      | 'eventTtlSeconds'
      | 'anonymousAuth'
      | 'apiAudiences'
      | 'maxTokenSeconds'
      | 'bootstrapTokens'
      | 'storageMediaType'
      | 'checkLog'
      | 'flags'
      | 'allowsPrivileged'
      | 'endpointReconciler'
      | 'nodeIpam'
      | 'metricsServer'
      | 'whyApi'
      | 'loadBalancer'
      | 'controllerManager'
    >
  > {
  /** The file of `staticTokens`, which is reloaded when it changes. */
  readonly staticTokenFile?: string;
  /** Authenticators of tokens that others issue. */
  readonly authentication?: AuthenticationSettings;
  /** Authorizers that others are behind, instead of `authorizationModes`. */
  readonly authorization?: AuthorizationSettings | undefined;
  /**
   * An `EncryptionConfiguration` file; secrets in a data directory are encrypted with a key of their own unless stated.
   */
  readonly encryptionConfigFile?: string | undefined;
  /** Whether that file is read again when it changes. */
  readonly reloadsEncryption?: boolean;
  /** Which requests are recorded, and where; none unless stated. */
  readonly audit?: AuditSettings | undefined;
  /** A parsed KubeSchedulerConfiguration and plugins of one's own; extenders are reached over HTTP. */
  readonly scheduler?: Pick<NonNullable<ControlPlaneOptions['scheduler']>, 'configuration' | 'extraPlugins'>;
  /** Serves custom and external metrics from Prometheus under this URL, as rules say. */
  readonly prometheus?: { readonly url: string; readonly rules: PrometheusSettings['rules'] } | undefined;
  /** Listening address, or `false` for no socket. A free port on loopback by default. */
  readonly listen?: Address | false;
  /** Everything that the cluster keeps. A temporary one, removed at the end, unless stated. */
  readonly dataDir?: string;
  readonly certDir?: string;
  /** Path of the administrator's kubeconfig, which is rewritten when its certificate is renewed. */
  readonly kubeconfigFile?: string;
  /** Certificates that the cluster does not make itself. */
  readonly certificateFiles?: CertificateFiles;
  /** How the API server connects to kubelets of other processes. */
  readonly kubeletClient?: KubeletClientFiles;
  /** TLS parameters of the server; those of kube-apiserver by default. */
  readonly tls?: TlsSettings;
  /** The API server's client certificate for API servers behind it, as PEM; its own one by default. */
  readonly proxyClient?: { readonly certificate: string; readonly key: string };
  /** Authenticating proxies in front of the API server. */
  readonly requestHeader?: RequestHeaderFiles;
  /** The address at which clients reach the API server, if it is not the listening address. */
  readonly advertiseAddress?: string;
  /** Time for which it keeps serving after it was stopped, while it is not ready. */
  readonly shutdownDelayMs?: number;
  /** Interval of compactions of the store; 0 for never. */
  readonly compactionIntervalMs?: number;
  /** Keys of service account tokens that the cluster does not make itself, as PEM. */
  readonly tokenKeys?: TokenKeyTexts;
  /** In memory unless stated. */
  readonly store?: StoreChoice;
  /** Built-in resources that are stored elsewhere. */
  readonly storeOverrides?: readonly StoreOverrideChoice[];
  /** Simulated nodes. One unless stated. */
  readonly nodes?: number;
  /**
   * KWOK's `Stage` objects as YAML: they control the pods or nodes of simulated nodes instead of kubelets.
   */
  readonly stages?: readonly { readonly name: string; readonly text: string }[];
  /** Makes this machine a node, with the container runtime behind a CRI socket. */
  readonly realNode?: RealNodeProviderOptions;
  /** `virtual`: time advances only with `cluster.clock.advance`. */
  readonly clock?: 'system' | 'virtual';
  /** The seed of random numbers, for a run that can be repeated. */
  readonly seed?: number;
  readonly logger?: Logger;
  /**
   * Whether the steps of pods, and of the objects that create them, are recorded for `coracle trace`. That costs a
   * tenth of a create.
   */
  readonly traces?: boolean;
  /** The folder that `/logs` shows; none unless stated. */
  readonly logFolder?: string;
  /** Whether `/debug/pprof` is served; true unless stated. */
  readonly profiling?: boolean;
  /** Wrappers between the parts, to inject faults. */
  readonly wrap?: (deps: WrapperDependencies) => SeamWrappers;
  /** Minimum history of the store that is kept. */
  readonly historyMs?: number;
}
