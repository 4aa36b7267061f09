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
import type { Client, InformerFactory, SharedInformer } from '@coracle/client';
import { ConfigError } from './config-error.js';

/** The objects that pods refer to in their environment and their volumes. Missing ones are `undefined`. */
export interface PodReferences {
  configMap(namespace: string, name: string): Promise<ConfigMap | undefined>;
  secret(namespace: string, name: string): Promise<Secret | undefined>;
  /** All services of a namespace. */
  services(namespace: string): Promise<readonly Service[]>;
  runtimeClass(name: string): Promise<nodev1.RuntimeClass | undefined>;
  claim(namespace: string, name: string): Promise<PersistentVolumeClaim | undefined>;
  /** The volume to which a claim is bound. */
  claimedVolume(namespace: string, claim: string): Promise<PersistentVolume | undefined>;
  csiDriver(name: string): Promise<CSIDriver | undefined>;
  volumeAttachment(name: string): Promise<VolumeAttachment | undefined>;
  /** Reports changed config maps and secrets as `namespace/name`; absent where they are not watched. */
  onChange?(listener: (key: string) => void): Disposable;
  /** By name. */
  trustBundles(): Promise<readonly Pick<ClusterTrustBundle, 'metadata' | 'spec'>[]>;
}

const namespaceIndex = 'metadata.namespace';

/**
 * Reads from watches that many kubelets may share. Objects that these have not delivered are read with this kubelet's
 * credentials: a pod may arrive before the objects that it needs. A single kubelet watches only services, and reads all
 * other objects.
 */
export function watchReferences(
  informers: InformerFactory,
  { alone = false }: { readonly alone?: boolean } = {},
): (client: Client) => PodReferences {
  const services = informers.for(refs.services);
  services.addIndex(namespaceIndex, namespaceOf);
  const watched: Watched = {
    services,
    configMaps: alone ? undefined : informers.for(refs.configMaps),
    secrets: alone ? undefined : informers.for(refs.secrets),
  };
  return (client) => new WatchedReferences(watched, client);
}

interface Watched {
  readonly services: SharedInformer<Service>;
  readonly configMaps: SharedInformer<ConfigMap> | undefined;
  readonly secrets: SharedInformer<Secret> | undefined;
}

/** A class: there are many kubelets, and each has one. */
class WatchedReferences implements PodReferences {
  readonly #watched: Watched;
  readonly #client: Client;

  constructor(watched: Watched, client: Client) {
    this.#watched = watched;
    this.#client = client;
  }

  async configMap(namespace: string, name: string): Promise<ConfigMap | undefined> {
    const watched = this.#watched.configMaps?.get(`${namespace}/${name}`);
    return watched ?? (await this.#client.configMaps(namespace).get(name).catch(absent));
  }

  async secret(namespace: string, name: string): Promise<Secret | undefined> {
    const watched = this.#watched.secrets?.get(`${namespace}/${name}`);
    return watched ?? (await this.#client.secrets(namespace).get(name).catch(absent));
  }

  async services(namespace: string): Promise<readonly Service[]> {
    const { services } = this.#watched;
    await services.synced();
    return services.byIndex(namespaceIndex, namespace);
  }

  runtimeClass(name: string): Promise<nodev1.RuntimeClass | undefined> {
    return this.#client.resource(refs.runtimeClasses).get(name).catch(absent);
  }

  claim(namespace: string, name: string): Promise<PersistentVolumeClaim | undefined> {
    return this.#client.resource(refs.persistentVolumeClaims, namespace).get(name).catch(absent);
  }

  async claimedVolume(namespace: string, claim: string): Promise<PersistentVolume | undefined> {
    const { spec, status } = (await this.claim(namespace, claim)) ?? {};
    if (status?.phase !== 'Bound' || !spec?.volumeName) return undefined;
    return this.#client.resource(refs.persistentVolumes).get(spec.volumeName).catch(absent);
  }

  onChange(listener: (key: string) => void): Disposable {
    const { configMaps, secrets } = this.#watched;
    const tell = ({ object: { metadata } }: { readonly object: ConfigMap | Secret }) =>
      listener(`${metadata.namespace}/${metadata.name}`);
    const handlers = [configMaps?.addHandler(tell), secrets?.addHandler(tell)];
    return {
      [Symbol.dispose]: () => {
        for (const handler of handlers) handler?.[Symbol.dispose]();
      },
    };
  }

  csiDriver(name: string): Promise<CSIDriver | undefined> {
    return this.#client.resource(refs.csiDrivers).get(name).catch(absent);
  }

  volumeAttachment(name: string): Promise<VolumeAttachment | undefined> {
    return this.#client.resource(refs.volumeAttachments).get(name).catch(absent);
  }

  async trustBundles(): Promise<readonly Pick<ClusterTrustBundle, 'metadata' | 'spec'>[]> {
    const list = await this.#client.resource(refs.clusterTrustBundlesV1beta1).list().catch(absent);
    return list?.items ?? [];
  }
}

/** One function, because several kubelets may share an informer. */
function namespaceOf({ metadata }: Service): string[] {
  return [metadata.namespace ?? ''];
}

/** A reference to such an object in a pod. */
export interface ReferenceTo {
  readonly name?: string;
  /** Whether the object may be missing. */
  readonly optional?: boolean;
}

/** Throws a `ConfigError` if it is missing and required. */
export async function configMapOf(
  references: PodReferences,
  pod: Pod,
  to: ReferenceTo,
): Promise<ConfigMap | undefined> {
  const found = await references.configMap(pod.metadata.namespace ?? '', to.name ?? '');
  return foundOrOptional('configmap', found, to);
}

/** Throws a `ConfigError` if it is missing and required. */
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
