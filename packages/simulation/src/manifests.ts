import type { Pod } from '@coracle/api';
import type { PodManifest, StaticPodSource } from '@coracle/kubelet';

/** The folder of a node for static pod manifests. */
export class Manifests implements StaticPodSource {
  readonly source = 'file' as const;
  readonly #followers = new Set<(manifests: readonly PodManifest[]) => void>();
  #manifests: readonly PodManifest[] = [];

  /** These, and no others. */
  set(pods: readonly Pod[]): void {
    this.#manifests = pods.map((pod) => ({ pod, location: `/etc/kubernetes/manifests/${pod.metadata.name}.yaml` }));
    for (const tell of this.#followers) tell(this.#manifests);
  }

  follow(tell: (manifests: readonly PodManifest[]) => void): Disposable {
    this.#followers.add(tell);
    tell(this.#manifests);
    return { [Symbol.dispose]: () => void this.#followers.delete(tell) };
  }
}
