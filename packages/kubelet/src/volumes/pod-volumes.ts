import type { Pod, Volume } from '@coracle/api';
import { type Clock, type Millis, messageOf } from '@coracle/base';
import type { EventRecorder } from '@coracle/client';
import { podReference } from '../container-reference.js';
import { mountedVolumes, podDirectory, volumeDirectory } from './volume-directory.js';
import { type VolumeFiles, type VolumeInput, volumeFiles } from './volume-files.js';

/** Where the files of volumes go. A runtime that plays its containers has no use for them. */
export interface VolumeDisk {
  /** Makes the directory hold these files and no others, all at once. */
  write(directory: string, files: VolumeFiles): Promise<void>;
  remove(directory: string): Promise<void>;
  /** How much a directory holds, where that can be told. */
  readonly measure?: (directory: string) => Promise<{ readonly bytes: number; readonly inodes: number }>;
}

export interface PodVolumesOptions {
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly disk?: VolumeDisk | undefined;
  readonly inputFor: (pod: Pod) => VolumeInput;
}

/** The pod's volumes are there, or when it makes sense to try again. */
export type MountOutcome = { readonly mounted: true } | { readonly mounted: false; readonly retryMs: Millis };

/** A volume that could not be mounted. */
interface Trouble {
  delayMs: Millis;
  notBefore: Millis;
}

const firstDelayMs: Millis = 500;
const longestDelayMs: Millis = 122_000;
/** After so long without all of its volumes, a pod is told so as a whole. */
const patienceMs: Millis = 123_000;

const mounted: MountOutcome = { mounted: true };

/** Makes the volumes of pods before their containers, and tries again later and later what does not work. */
export class PodVolumes {
  readonly #options: PodVolumesOptions;
  /** By pod, then by volume; pods without trouble are not in it. */
  readonly #trouble = new Map<string, Map<string, Trouble>>();
  /** Since when a pod has been waiting. */
  readonly #waitingSince = new Map<string, Millis>();
  /** The volumes of others that pods use, by pod. */
  readonly #inUse = new Map<string, Set<string>>();

  constructor(options: PodVolumesOptions) {
    this.#options = options;
  }

  async mount(pod: Pod): Promise<MountOutcome> {
    const volumes = mountedVolumes(pod);
    if (volumes.length === 0) return mounted;
    const uid = pod.metadata.uid ?? '';
    const missing: string[] = [];
    for (const volume of volumes) if (!(await this.#mountOne(pod, volume))) missing.push(volume.name);
    if (missing.length === 0) {
      this.#forgetTrouble(uid);
      return mounted;
    }
    const { clock } = this.#options;
    this.#complain(pod, missing);
    const due = Math.min(...[...(this.#trouble.get(uid)?.values() ?? [])].map(({ notBefore }) => notBefore));
    return { mounted: false, retryMs: Math.max(0, due - clock.now()) };
  }

  /** Files that come from other objects are written anew: these may have changed. */
  async refresh(pod: Pod): Promise<void> {
    if (!this.#options.disk) return;
    for (const volume of mountedVolumes(pod)) if (hasFiles(volume)) await this.#mountOne(pod, volume);
  }

  /** The volumes of others, such as disks in a network, that pods have mounted; named as the API names them. */
  get inUse(): readonly string[] {
    return this.#inUse.size === 0 ? [] : [...new Set([...this.#inUse.values()].flatMap((names) => [...names]))].sort();
  }

  /** The pod is gone, and nothing of it runs. */
  async forget(pod: Pod): Promise<void> {
    this.#forgetTrouble(pod.metadata.uid ?? '');
    this.#inUse.delete(pod.metadata.uid ?? '');
    if (mountedVolumes(pod).length > 0) await this.#options.disk?.remove(podDirectory(pod));
  }

  async #mountOne(pod: Pod, volume: Volume): Promise<boolean> {
    const { clock, recorder, disk, inputFor } = this.#options;
    const uid = pod.metadata.uid ?? '';
    const trouble = this.#trouble.get(uid)?.get(volume.name);
    if (trouble && clock.now() < trouble.notBefore) return false;
    try {
      if (volume.persistentVolumeClaim) await this.#use(pod, volume.persistentVolumeClaim.claimName);
      const files = await volumeFiles(inputFor(pod), volume);
      if (files) await disk?.write(volumeDirectory(pod, volume), files);
      this.#trouble.get(uid)?.delete(volume.name);
      return true;
    } catch (error) {
      const message = messageOf(error);
      const text = `MountVolume.SetUp failed for volume ${JSON.stringify(volume.name)} : ${message}`;
      recorder.event(podReference(pod), 'Warning', 'FailedMount', text);
      this.#putOff(uid, volume.name, trouble);
      return false;
    }
  }

  async #use(pod: Pod, claim: string): Promise<void> {
    const { namespace = '', uid = '' } = pod.metadata;
    const { csi } = (await this.#options.inputFor(pod).references.claimedVolume(namespace, claim))?.spec ?? {};
    if (!csi) return;
    const names = this.#inUse.get(uid) ?? new Set();
    this.#inUse.set(uid, names.add(`kubernetes.io/csi/${csi.driver}^${csi.volumeHandle}`));
  }

  #putOff(uid: string, volume: string, trouble: Trouble | undefined): void {
    const delayMs = trouble ? Math.min(longestDelayMs, trouble.delayMs * 2) : firstDelayMs;
    const volumes = this.#trouble.get(uid) ?? new Map<string, Trouble>();
    volumes.set(volume, { delayMs, notBefore: this.#options.clock.now() + delayMs });
    this.#trouble.set(uid, volumes);
  }

  #complain(pod: Pod, missing: readonly string[]): void {
    const { clock, recorder } = this.#options;
    const uid = pod.metadata.uid ?? '';
    const since = this.#waitingSince.get(uid) ?? clock.now();
    this.#waitingSince.set(uid, since);
    if (clock.now() - since < patienceMs) return;
    this.#waitingSince.set(uid, clock.now());
    const names = [...missing].sort().join(' ');
    const text = `Unable to attach or mount volumes: unmounted volumes=[${names}], unattached volumes=[], failed to process volumes=[]: context deadline exceeded`;
    recorder.event(podReference(pod), 'Warning', 'FailedMount', text);
  }

  #forgetTrouble(uid: string): void {
    this.#trouble.delete(uid);
    this.#waitingSince.delete(uid);
  }
}

/** What it shows are other objects, or the pod itself. */
function hasFiles({ configMap, secret, downwardAPI, projected }: Volume): boolean {
  return Boolean(configMap ?? secret ?? downwardAPI ?? projected);
}
