import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ClusterOptions, idlePlugins, type TokenKeyTexts } from '@coracle/cluster';
import { checkStderr, createStderrLogger, type LogLevel } from '@coracle/platform-nodejs';
import { type Command, Option } from 'commander';
import { readAdmissionConfig } from './admission-config.js';
import { addAuditFlags, auditSettings } from './audit-flags.js';
import { readAnonymous } from './authentication-config.js';
import { checkFlags } from './check-flags.js';
import { combineGates, parseFeatureGates, withoutEffect } from './feature-gates.js';
import { booleanFlag, collect, parseCount, parseList, parseSwitches, parseTimespan } from './flag-values.js';
import {
  addIdentityFlags,
  authenticationSettings,
  authorizationSettings,
  type IdentityFlags,
} from './identity-flags.js';
import { warnOfIdle } from './idle-flags.js';
import { addKubeFlags, idleServerFlags, type KubeFlags, kubeOptions, tolerationSeconds } from './kube-flags.js';
import { addKubeletClientFlags, type KubeletClientFlags, kubeletClientOptions } from './kubelet-client-flags.js';
import { addStoreFlags, cachesToDoWithout, type StoreFlags, storeChoice, storeOverrides } from './store-flags.js';
import { addTlsFlags, type TlsFlags, tlsOptions } from './tls-flags.js';
import { readWebhookCredentials } from './webhook-credentials.js';

/** Flags of every command that runs an API server, with the names of kube-apiserver where it has them. */
export interface ServerFlags extends KubeFlags, KubeletClientFlags, StoreFlags, TlsFlags, IdentityFlags {
  readonly dataDir: string;
  readonly kubeconfig?: string;
  readonly tokenAuthFile?: string;
  readonly authenticationConfig?: string;
  readonly authorizationMode: readonly string[];
  readonly authorizationPolicyFile?: string;
  readonly admissionControl?: readonly string[];
  readonly enableAdmissionPlugins?: readonly string[];
  readonly disableAdmissionPlugins?: readonly string[];
  readonly admissionControlConfigFile?: string;
  readonly serviceAccountIssuer?: string;
  readonly serviceClusterIpRange?: readonly string[];
  readonly serviceNodePortRange?: string;
  readonly runtimeConfig?: Readonly<Record<string, boolean>>;
  readonly corsAllowedOrigins?: readonly string[];
  readonly requestTimeout?: number;
  readonly minRequestTimeout?: number;
  readonly maxRequestsInflight: number;
  readonly maxMutatingRequestsInflight: number;
  readonly enablePriorityAndFairness: boolean;
  readonly eventTtl?: number;
  readonly anonymousAuth: boolean;
  readonly feature?: Readonly<Record<string, boolean>>;
  readonly featureGates?: Readonly<Record<string, boolean>>;
  readonly serviceAccountKeyFile?: readonly string[];
  readonly serviceAccountSigningKeyFile?: string;
  readonly certDir?: string;
  readonly history?: number;
  readonly logLevel: LogLevel;
}

export function addServerFlags(command: Command): Command {
  return addIdentityFlags(addAuditFlags(addKubeletClientFlags(addKubeFlags(addTlsFlags(addStoreFlags(command))))))
    .option('--data-dir <dir>', 'data directory: database, keys, kubeconfig', join(homedir(), '.coracle', 'default'))
    .option('--kubeconfig <file>', "file to write the administrator's kubeconfig to (default: DIR/admin.kubeconfig)")
    .option('--token-auth-file <file>', 'file of static tokens, one a line: token,user,uid,"group1,group2"')
    .addOption(
      new Option('--authorization-mode <list>', 'authorizers, in order of evaluation')
        .argParser(parseList)
        .default(['Node', 'RBAC'], 'Node,RBAC'),
    )
    .option('--authorization-policy-file <file>', 'ABAC policy file, one JSON policy a line')
    .option('--authentication-config <file>', 'AuthenticationConfiguration file')
    .option('--admission-control <list>', 'admission plugins to run, instead of the default ones', parseList)
    .option('--enable-admission-plugins <list>', 'admission plugins to enable beside the default ones', parseList)
    .option('--disable-admission-plugins <list>', 'default admission plugins to disable', parseList)
    .option('--admission-control-config-file <file>', 'AdmissionConfiguration file')
    .option('--service-cluster-ip-range <list>', 'CIDR ranges of cluster IPs, one for each IP family', parseList)
    .option('--service-node-port-range <range>', 'range of node ports, such as 30000-32767')
    .option('--service-account-issuer <url>', 'issuer of service account tokens')
    .option(
      '--runtime-config <list>',
      'API groups, versions and resources to enable or disable: group/version=true,…',
      parseSwitches,
    )
    .option('--cors-allowed-origins <list>', 'regular expressions of allowed CORS origins', parseList)
    .option(
      '--request-timeout <duration>',
      'timeout of requests that are not long-running (default: 1m0s)',
      parseTimespan,
    )
    .option(
      '--min-request-timeout <seconds>',
      'minimum duration of a watch that sets no timeout, in seconds (default: 1800)',
      parseCount,
    )
    .option('--max-requests-inflight <n>', 'maximum number of read requests in flight; 0 for no limit', parseCount, 400)
    .option(
      '--max-mutating-requests-inflight <n>',
      'maximum number of mutating requests in flight; 0 for no limit',
      parseCount,
      200,
    )
    .addOption(booleanFlag('enable-priority-and-fairness', 'API priority and fairness instead of max-in-flight limits'))
    .option('--event-ttl <duration>', 'time to live of events (default: 1h0m0s)', parseTimespan)
    .addOption(booleanFlag('anonymous-auth', 'serve requests without credentials as system:anonymous'))
    .option('--feature <name=bool>', 'feature gate; may be repeated', parseFeatureGates)
    .option('--feature-gates <list>', 'feature gates, separated by commas: Name=true,…', parseFeatureGates)
    .option(
      '--service-account-key-file <file>',
      'PEM public or private key that verifies service account tokens; may be repeated',
      collect,
    )
    .option(
      '--service-account-signing-key-file <file>',
      'PEM private key that signs service account tokens (default: generated)',
    )
    .option('--cert-dir <dir>', 'directory of keys and certificates (default: DIR/pki)')
    .option('--history <seconds>', 'minimum history that compaction keeps, in seconds', parseCount)
    .addOption(new Option('--log-level <level>', 'log level').choices(['error', 'info', 'debug']).default('error'));
}

async function proxyClient({ proxyClientCertFile, proxyClientKeyFile }: ServerFlags): Promise<Partial<ClusterOptions>> {
  if (!proxyClientCertFile && !proxyClientKeyFile) return {};
  if (!proxyClientCertFile || !proxyClientKeyFile)
    throw new Error('--proxy-client-cert-file and --proxy-client-key-file must be specified together');
  const [certificate, key] = await Promise.all(
    [proxyClientCertFile, proxyClientKeyFile].map((file) => readFile(file, 'utf8')),
  );
  return certificate && key ? { proxyClient: { certificate, key } } : {};
}

export function kubeconfigFile({ kubeconfig, dataDir }: ServerFlags): string {
  return resolve(kubeconfig ?? join(resolve(dataDir), 'admin.kubeconfig'));
}

export async function clusterOptions(flags: ServerFlags): Promise<ClusterOptions> {
  checkFlags(flags);
  const dataDir = resolve(flags.dataDir);
  const gates = { ...flags.feature, ...flags.featureGates };
  const features = combineGates(gates);
  for (const gate of withoutEffect(gates))
    process.stderr.write(`coracle: feature gate ${gate} has no effect here: it stays as in upstream v1.36\n`);
  const plugins = [...(flags.admissionControl ?? []), ...(flags.enableAdmissionPlugins ?? [])];
  warnOfIdle([
    ...idleServerFlags(flags),
    ...cachesToDoWithout(flags),
    ...plugins.filter((name) => idlePlugins.has(name)),
  ]);
  const { admissionControlConfigFile: configFile } = flags;
  const pluginConfig = configFile ? await readAdmissionConfig(configFile) : {};
  const webhookCredentials = await readWebhookCredentials(pluginConfig, configFile ?? '');
  return {
    ...(await accessFiles(flags)),
    audit: await auditSettings(flags),
    authentication: await authenticationSettings(flags),
    authorization: await authorizationSettings(flags, await policiesOf(flags)),
    encryptionConfigFile: flags.encryptionProviderConfig,
    reloadsEncryption: flags.encryptionProviderConfigAutomaticReload,
    dataDir,
    store: await storeChoice(flags, dataDir),
    ...(flags.etcdServersOverrides && { storeOverrides: await storeOverrides(flags) }),
    authorizationModes: flags.authorizationMode,
    ...kubeOptions(flags),
    ...(await proxyClient(flags)),
    admission: {
      ...(flags.admissionControl && { only: flags.admissionControl }),
      enable: flags.enableAdmissionPlugins ?? [],
      disable: flags.disableAdmissionPlugins ?? [],
      config: { ...pluginConfig, DefaultTolerationSeconds: tolerationSeconds(flags) },
      ...(webhookCredentials && { webhookCredentials }),
    },
    logger: createStderrLogger({ level: flags.logLevel }),
    checkLog: checkStderr,
    serviceRanges: {
      ...(flags.serviceClusterIpRange && { clusterIpRanges: flags.serviceClusterIpRange }),
      ...(flags.serviceNodePortRange && { nodePortRange: flags.serviceNodePortRange }),
      ...(flags.kubernetesServiceNodePort && { kubernetesNodePort: flags.kubernetesServiceNodePort }),
    },
    ...(flags.serviceAccountIssuer && { issuer: flags.serviceAccountIssuer }),
    ...(flags.runtimeConfig && { runtimeConfig: flags.runtimeConfig }),
    features,
    ...(flags.corsAllowedOrigins && { corsAllowedOrigins: flags.corsAllowedOrigins }),
    ...(flags.requestTimeout && { requestTimeoutMs: flags.requestTimeout }),
    ...(flags.minRequestTimeout && { minWatchMs: flags.minRequestTimeout * 1000 }),
    priorityAndFairness: flags.enablePriorityAndFairness,
    inFlightLimits: { readOnly: flags.maxRequestsInflight, mutating: flags.maxMutatingRequestsInflight },
    ...(flags.eventTtl !== undefined && { eventTtlSeconds: Math.max(1, Math.round(flags.eventTtl / 1000)) }),
    ...tlsOptions(flags),
    ...kubeletClientOptions(flags),
    tokenKeys: await tokenKeys(flags),
    ...(flags.certDir && { certDir: resolve(flags.certDir) }),
    ...(flags.history !== undefined && { historyMs: flags.history * 1000 }),
  };
}

async function policiesOf({ authorizationPolicyFile: file }: ServerFlags): Promise<string | undefined> {
  return file === undefined ? undefined : await readFile(file, 'utf8');
}

/** Authentication and authorization settings from files. */
async function accessFiles(
  flags: ServerFlags,
): Promise<Pick<ClusterOptions, 'staticTokens' | 'staticTokenFile' | 'anonymousAuth' | 'authorizationPolicies'>> {
  const { tokenAuthFile, authorizationPolicyFile, authenticationConfig, anonymousAuth } = flags;
  const configured = authenticationConfig === undefined ? undefined : await readAnonymous(authenticationConfig);
  if (configured !== undefined && !anonymousAuth)
    throw new Error(
      '--anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
    );
  return {
    ...(tokenAuthFile !== undefined && {
      staticTokens: await readFile(tokenAuthFile, 'utf8'),
      staticTokenFile: tokenAuthFile,
    }),
    ...(authorizationPolicyFile !== undefined && {
      authorizationPolicies: await readFile(authorizationPolicyFile, 'utf8'),
    }),
    anonymousAuth: configured ?? anonymousAuth,
  };
}

async function tokenKeys(flags: ServerFlags): Promise<TokenKeyTexts> {
  const { serviceAccountSigningKeyFile: signing, serviceAccountKeyFile: verification = [] } = flags;
  return {
    ...(signing && { signing: await readFile(signing, 'utf8') }),
    verification: await Promise.all(verification.map((file) => readFile(file, 'utf8'))),
  };
}
