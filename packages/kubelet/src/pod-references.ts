import {
  type ClusterTrustBundle,
  type ConfigMap,
  type CSIDriver,
  type nodev1,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  refs,
  type Secret,
  type Service,
  type VolumeAttachment,
} from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import type { Client, InformerFactory } from '@coracle/client';
import { ConfigError } from './config-error.js';

/** The objects that pods name in their environment and their volumes. What there is not is `undefined`. */
export interface PodReferences {
  configMap(namespace: string, name: string): Promise<ConfigMap | undefined>;
  secret(namespace: string, name: string): Promise<Secret | undefined>;
  /** All of a namespace. */
  services(namespace: string): Promise<readonly Service[]>;
  runtimeClass(name: string): Promise<nodev1.RuntimeClass | undefined>;
  claim(namespace: string, name: string): Promise<PersistentVolumeClaim | undefined>;
  /** The volume that a claim is bound to. */
  claimedVolume(namespace: string, claim: string): Promise<PersistentVolume | undefined>;
  csiDriver(name: string): Promise<CSIDriver | undefined>;
  volumeAttachment(name: string): Promise<VolumeAttachment | undefined>;
  /** Tells of config maps and secrets that have changed, as `namespace/name`; absent where nothing is watched. */
  onChange?(listener: (key: string) => void): Disposable;
  /** By name. */
  trustBundles(): Promise<readonly Pick<ClusterTrustBundle, 'metadata' | 'spec'>[]>;
}

const namespaceIndex = 'metadata.namespace';

/**
 * From watches that many kubelets may share. What they have not delivered is read with this kubelet's credentials: a
 * pod may arrive before the objects that it needs. A kubelet that is alone may watch services only, and asks for all
 * else.
 */
export function watchReferences(
  informers: InformerFactory,
  { alone = false }: { readonly alone?: boolean } = {},
): (client: Client) => PodReferences {
  const services = informers.for(refs.services);
  services.addIndex(namespaceIndex, namespaceOf);
  const configMaps = alone ? undefined : informers.for(refs.configMaps);
  const secrets = alone ? undefined : informers.for(refs.secrets);
  return (client) => ({
    configMap: async (namespace, name) =>
      configMaps?.get(`${namespace}/${name}`) ?? (await client.configMaps(namespace).get(name).catch(absent)),
    secret: async (namespace, name) =>
      secrets?.get(`${namespace}/${name}`) ?? (await client.secrets(namespace).get(name).catch(absent)),
    services: async (namespace) => {
      await services.synced();
      return services.byIndex(namespaceIndex, namespace);
    },
    runtimeClass: (name) => client.resource(refs.runtimeClasses).get(name).catch(absent),
    claim: (namespace, name) => client.resource(refs.persistentVolumeClaims, namespace).get(name).catch(absent),
    claimedVolume: async (namespace, claim) => {
      const claims = client.resource(refs.persistentVolumeClaims, namespace);
      const { spec, status } = (await claims.get(claim).catch(absent)) ?? {};
      if (status?.phase !== 'Bound' || !spec?.volumeName) return undefined;
      return client.resource(refs.persistentVolumes).get(spec.volumeName).catch(absent);
    },
    onChange: (listener) => {
      const tell = ({ object: { metadata } }: { readonly object: ConfigMap | Secret }) =>
        listener(`${metadata.namespace}/${metadata.name}`);
      const handlers = [configMaps?.addHandler(tell), secrets?.addHandler(tell)];
      return {
        [Symbol.dispose]: () => {
          for (const handler of handlers) handler?.[Symbol.dispose]();
        },
      };
    },
    csiDriver: (name) => client.resource(refs.csiDrivers).get(name).catch(absent),
    volumeAttachment: (name) => client.resource(refs.volumeAttachments).get(name).catch(absent),
    trustBundles: async () =>
      (await client.resource(refs.clusterTrustBundlesV1beta1).list().catch(absent))?.items ?? [],
  });
}

/** One function, because several kubelets may share an informer. */
function namespaceOf({ metadata }: Service): string[] {
  return [metadata.namespace ?? ''];
}

/** How a pod names such an object. */
export interface ReferenceTo {
  readonly name?: string;
  /** There need be none. */
  readonly optional?: boolean;
}

/** Throws a `ConfigError` if there is none and there should be. */
export async function configMapOf(
  references: PodReferences,
  pod: Pod,
  to: ReferenceTo,
): Promise<ConfigMap | undefined> {
  const found = await references.configMap(pod.metadata.namespace ?? '', to.name ?? '');
  return foundOrOptional('configmap', found, to);
}

/** Throws a `ConfigError` if there is none and there should be. */
export async function secretOf(references: PodReferences, pod: Pod, to: ReferenceTo): Promise<Secret | undefined> {
  const found = await references.secret(pod.metadata.namespace ?? '', to.name ?? '');
  return foundOrOptional('secret', found, to);
}

function foundOrOptional<T>(kind: string, found: T | undefined, { name = '', optional }: ReferenceTo): T | undefined {
  if (!found && !optional) throw new ConfigError(`${kind} ${JSON.stringify(name)} not found`);
  return found;
}

function absent(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}
