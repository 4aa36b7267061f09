import type {
  ClusterTrustBundle,
  ConfigMap,
  CSIDriver,
  PersistentVolume,
  Pod,
  PodSpec,
  Secret,
  Service,
} from '@coracle/api';
import { toBase64 } from '@coracle/apimachinery';
import type { PodReferences } from './pod-references.js';

/** Referenced objects, all in the pod's namespace. */
export function fakeReferences(
  objects: {
    readonly configMaps?: Readonly<Record<string, Record<string, string>>>;
    readonly secrets?: Readonly<Record<string, Record<string, string>>>;
    readonly services?: readonly Service[];
    /** By claim. */
    readonly volumes?: Readonly<Record<string, PersistentVolume>>;
    readonly csiDrivers?: Readonly<Record<string, CSIDriver>>;
    readonly trustBundles?: readonly ClusterTrustBundle[];
  } = {},
): PodReferences {
  const configMap = (name: string): ConfigMap | undefined => {
    const data = objects.configMaps?.[name];
    return data && { metadata: { name }, data };
  };
  const secret = (name: string): Secret | undefined => {
    const data = objects.secrets?.[name];
    const encode = (text: string) => toBase64(new TextEncoder().encode(text));
    return (
      data && {
        metadata: { name },
        data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, encode(text)])),
      }
    );
  };
  return {
    configMap: async (_namespace, name) => configMap(name),
    secret: async (_namespace, name) => secret(name),
    services: async (namespace) =>
      objects.services?.filter(({ metadata }) => (metadata.namespace ?? 'default') === namespace) ?? [],
    claim: async (_namespace, name) => ({ metadata: { name } }),
    claimedVolume: async (_namespace, claim) => objects.volumes?.[claim],
    csiDriver: async (name) => objects.csiDrivers?.[name],
    volumeAttachment: async (name) => ({
      metadata: { name },
      spec: { attacher: '', nodeName: '', source: {} },
      status: { attached: true },
    }),
    trustBundles: async () => objects.trustBundles ?? [],
    runtimeClass: async (name) => ({ metadata: { name }, handler: name }),
  };
}

/** The pod `web` of the namespace `shop`. */
export function makePod(spec: Partial<PodSpec> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'uid-1',
      labels: { app: 'web', tier: 'front' },
      annotations: { note: 'say "hello"' },
    },
    spec: { serviceAccountName: 'seller', containers: [{ name: 'web', image: 'nginx' }], ...spec },
  };
}

/** Where `makePod` runs. */
export const place = { nodeName: 'node-1', hostIps: ['172.18.0.2', 'fd00::2'], podIps: ['10.0.0.5', 'fd01::5'] };

export const allocatable = { cpu: '8', memory: '16Gi', 'ephemeral-storage': '100Gi' };

/** The `nodeInfo` of a node's status. */
export const nodeSystemInfo = {
  architecture: 'amd64',
  bootID: 'boot-2',
  containerRuntimeVersion: 'containerd://2.1.0',
  kernelVersion: '6.12',
  kubeProxyVersion: '',
  kubeletVersion: 'v1.36.4',
  machineID: 'm',
  operatingSystem: 'linux',
  osImage: 'Linux',
  systemUUID: 's',
};
