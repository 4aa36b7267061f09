import type { Pod, Volume } from '@coracle/api';
import { type Clock, deepEqual, type Logger, type Millis } from '@coracle/base';
import type { PodReferences } from '../pod-references.js';
import type { PodSink } from '../pod-source.js';
import type { PodVolumes } from './pod-volumes.js';

export interface VolumeRefresherOptions {
  readonly volumes: PodVolumes;
  readonly references: PodReferences;
  /** The pods that may run. */
  readonly activePods: () => readonly Pod[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Time within which changes are written together. */
const gatherMs: Millis = 100;

/** Updates the files of volumes soon after their objects have changed. */
export class VolumeRefresher implements Disposable {
  readonly #options: VolumeRefresherOptions;
  readonly #listening: Disposable | undefined;
  /** `namespace/name` of config maps and secrets. */
  readonly #changed = new Set<string>();
  /** Pods whose own labels or annotations have changed, by uid. */
  readonly #pods = new Set<string>();
  #timer: Disposable | undefined;

  constructor(options: VolumeRefresherOptions) {
    this.#options = options;
    this.#listening = options.references.onChange?.((key) => {
      this.#changed.add(key);
      this.#gather();
    });
  }

  /** Receives pods before `sink` does. */
  watching(sink: PodSink): PodSink {
    const pods = new Map<string, Pod>();
    return {
      set: (pod) => {
        const before = pods.get(pod.metadata.uid ?? '');
        pods.set(pod.metadata.uid ?? '', pod);
        sink.set(pod);
        if (before && showsItself(pod) && hasOtherWords(before, pod)) {
          this.#pods.add(pod.metadata.uid ?? '');
          this.#gather();
        }
      },
      remove: (pod) => {
        pods.delete(pod.metadata.uid ?? '');
        sink.remove(pod);
      },
    };
  }

  [Symbol.dispose](): void {
    this.#listening?.[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
  }

  #gather(): void {
    this.#timer ??= this.#options.clock.schedule(gatherMs, () => {
      this.#timer = undefined;
      this.#refresh().catch((error) => this.#options.logger.error('Failed to update volumes', { error }));
    });
  }

  async #refresh(): Promise<void> {
    const [changed, pods] = [new Set(this.#changed), new Set(this.#pods)];
    this.#changed.clear();
    this.#pods.clear();
    for (const pod of this.#options.activePods()) {
      const isShown = (name: string) => changed.has(`${pod.metadata.namespace}/${name}`);
      if (pods.has(pod.metadata.uid ?? '') || shownObjects(pod).some(isShown)) await this.#options.volumes.refresh(pod);
    }
  }
}

function hasOtherWords(before: Pod, { metadata }: Pod): boolean {
  return (
    !deepEqual(before.metadata.labels, metadata.labels) || !deepEqual(before.metadata.annotations, metadata.annotations)
  );
}

function volumesOf({ spec }: Pod): readonly Volume[] {
  return spec?.volumes ?? [];
}

function showsItself(pod: Pod): boolean {
  return volumesOf(pod).some(
    ({ downwardAPI, projected }) => downwardAPI ?? projected?.sources?.some((one) => one.downwardAPI),
  );
}

/** The names of config maps and secrets in the volumes of a pod. */
export function shownObjects(pod: Pod): string[] {
  const named = volumesOf(pod).flatMap(({ configMap, secret, projected }) => [
    configMap?.name,
    secret?.secretName,
    ...(projected?.sources ?? []).flatMap((source) => [source.configMap?.name, source.secret?.name]),
  ]);
  return named.filter((name) => name !== undefined);
}
