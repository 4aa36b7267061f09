import type { Pod, Volume } from '@coracle/api';
import { type Clock, type Millis, messageOf, monotonicNow } from '@coracle/base';
import type { EventRecorder } from '@coracle/client';
import type { ContainerStatus } from '@coracle/cri';
import { podReference } from '../container-reference.js';
import { type ContainerFilesystem, type ContainerMountInput, containerFilesystem } from './container-filesystem.js';
import { planVolume } from './plan-volume.js';
import { type ReadLogEnd, terminationMessage } from './termination-message.js';
import { mountedVolumes, podDirectory, volumeDirectory } from './volume-directory.js';
import type { VolumeHost, VolumePlan } from './volume-host.js';
import type { VolumeInput } from './volume-input.js';

export interface PodVolumesOptions {
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly host?: VolumeHost | undefined;
  readonly inputFor: (pod: Pod) => VolumeInput;
  /** Notified of deleted pods. */
  readonly certificates?: { forget(podUid: string): void } | undefined;
  /** Reads logs for termination messages with FallbackToLogsOnError. */
  readonly readLogEnd?: ReadLogEnd | undefined;
}

/** The result of setting up volumes: ready, or when to retry. */
export type MountOutcome = { readonly mounted: true } | { readonly mounted: false; readonly retryMs: Millis };

/** A volume that could not be mounted. */
interface Trouble {
  delayMs: Millis;
  notBefore: Millis;
}

const firstDelayMs: Millis = 500;
const longestDelayMs: Millis = 122_000;
/** Time after which a pod without all of its volumes gets an event with their names. */
const patienceMs: Millis = 123_000;

/** Maximum size that is read of a file in a volume. */
const mostFileBytes = 1024 * 1024;

const mounted: MountOutcome = { mounted: true };

/** Sets up the volumes of pods before their containers, and retries failures with backoff. */
export class PodVolumes {
  readonly #options: PodVolumesOptions;
  /** By pod, then by volume; only failures. */
  readonly #trouble = new Map<string, Map<string, Trouble>>();
  /** The time since which a pod has been waiting. */
  readonly #waitingSince = new Map<string, Millis>();
  /** Attachable volumes that pods use, by pod. */
  readonly #inUse = new Map<string, Set<string>>();
  /** Paths of the volumes of claims, by pod and volume. */
  readonly #claimPaths = new Map<string, Map<string, string>>();
  /** Pods that may have volumes on the node. */
  readonly #present = new Set<string>();
  /** The last operation on the volumes of a pod, which the next one waits for. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(options: PodVolumesOptions) {
    this.#options = options;
  }

  /** Creates the directories of the pod. False after a failure, which an event reports. */
  async makeDirectories(pod: Pod): Promise<boolean> {
    const { host, recorder } = this.#options;
    try {
      await host?.makePodDirectories?.(podDirectory(pod, host.root));
      return true;
    } catch (error) {
      const text = `error making pod data directories: ${messageOf(error)}`;
      recorder.event(podReference(pod), 'Warning', 'Failed', text);
      return false;
    }
  }

  async mount(pod: Pod): Promise<MountOutcome> {
    const volumes = mountedVolumes(pod);
    if (volumes.length === 0) return mounted;
    const uid = pod.metadata.uid ?? '';
    const missing: string[] = [];
    await this.#inTurn(uid, async () => {
      this.#present.add(uid);
      for (const volume of volumes) if (!(await this.#mountOne(pod, volume))) missing.push(volume.name);
    });
    if (missing.length === 0) {
      this.#forgetTrouble(uid);
      return mounted;
    }
    const { clock } = this.#options;
    this.#complain(pod, missing);
    const due = Math.min(...[...(this.#trouble.get(uid)?.values() ?? [])].map(({ notBefore }) => notBefore));
    return { mounted: false, retryMs: Math.max(0, due - monotonicNow(clock)) };
  }

  /** Writes files of other objects again, because these may have changed. Does nothing for a deleted pod. */
  async refresh(pod: Pod): Promise<void> {
    if (!this.#options.host) return;
    const uid = pod.metadata.uid ?? '';
    await this.#inTurn(uid, async () => {
      if (!this.#present.has(uid)) return;
      for (const volume of mountedVolumes(pod)) if (hasFiles(volume)) await this.#mountOne(pod, volume);
    });
  }

  /**
   * What a container sees of volumes and of the kubelet's own files. Throws a `ConfigError` if the mounts are invalid.
   */
  filesystemOf(input: ContainerMountInput): Promise<ContainerFilesystem> {
    const paths = this.#claimPaths.get(input.pod.metadata.uid ?? '');
    const root = this.#options.host?.root;
    const pathOf = (volume: Volume) => paths?.get(volume.name) ?? volumeDirectory(input.pod, volume, root);
    return containerFilesystem(input, { host: this.#options.host, pathOf });
  }

  /** Reads files in the volumes of a pod; absent where volumes have no files. */
  fileReaderOf(pod: Pod): ((volume: string, path: string) => Promise<string | undefined>) | undefined {
    const { host } = this.#options;
    const files = host?.files;
    if (!files) return undefined;
    return async (name, path) => {
      const volume = pod.spec?.volumes?.find((one) => one.name === name);
      const bytes = volume && (await files.readBelow(volumeDirectory(pod, volume, host.root), path, mostFileBytes));
      return bytes && new TextDecoder().decode(bytes);
    };
  }

  /** Containers that have ended, with the content of their termination logs. */
  async withTerminationMessages(pod: Pod, containers: readonly ContainerStatus[]): Promise<readonly ContainerStatus[]> {
    const { host, readLogEnd } = this.#options;
    if (!host?.files) return containers;
    return Promise.all(
      containers.map(async (status) => {
        const message = await terminationMessage(host, status, { pod, readLogEnd });
        return message === '' ? status : { ...status, message };
      }),
    );
  }

  /** Attachable volumes, such as network disks, that pods have mounted, by their names in the API. */
  get inUse(): readonly string[] {
    return this.#inUse.size === 0 ? [] : [...new Set([...this.#inUse.values()].flatMap((names) => [...names]))].sort();
  }

  /** Whether some of its volumes are of a CSI driver. */
  usesDrivers({ metadata }: Pod): boolean {
    return this.#inUse.has(metadata.uid ?? '');
  }

  /** Inputs of volume plans. */
  inputFor(pod: Pod): VolumeInput {
    return this.#options.inputFor(pod);
  }

  /** No container of the pod will run any more: its volumes are removed, and the files for its status stay. */
  async release(pod: Pod): Promise<void> {
    const uid = pod.metadata.uid ?? '';
    this.#forgetTrouble(uid);
    const { host } = this.#options;
    await this.#inTurn(uid, async () => {
      this.#present.delete(uid);
      await host?.tearDownVolumes?.(podDirectory(pod, host.root));
    });
    this.#inUse.delete(uid);
    this.#claimPaths.delete(uid);
  }

  /** The pod is deleted, and none of its containers runs. */
  async forget(pod: Pod): Promise<void> {
    const uid = pod.metadata.uid ?? '';
    this.#forgetTrouble(uid);
    const { host } = this.#options;
    await this.#inTurn(uid, async () => {
      this.#present.delete(uid);
      if (host?.files || mountedVolumes(pod).length > 0) await host?.tearDown(podDirectory(pod, host.root));
    });
    this.#inUse.delete(uid);
    this.#claimPaths.delete(uid);
    this.#options.certificates?.forget(uid);
  }

  /** An object that volumes of the pod waited for exists: retries them at once. */
  retry({ metadata }: Pod): void {
    this.#trouble.delete(metadata.uid ?? '');
  }

  /** Removes the volumes of pods that no longer exist, such as those deleted while the kubelet was down. */
  async removeOrphans(isWanted: (podUid: string) => boolean): Promise<void> {
    const { host } = this.#options;
    for (const uid of (await host?.podsOnDisk()) ?? [])
      if (!isWanted(uid)) await host?.tearDown(`${host.root}/pods/${uid}`);
  }

  /** Refreshes may come at any time: two writers of one directory would remove each other's files. */
  #inTurn(uid: string, step: () => Promise<void>): Promise<void> {
    if (!this.#options.host) return step();
    const turn = (this.#turns.get(uid) ?? Promise.resolve()).then(step);
    const end = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#turns.get(uid) === end) this.#turns.delete(uid);
      });
    this.#turns.set(uid, end);
    return turn;
  }

  async #mountOne(pod: Pod, volume: Volume): Promise<boolean> {
    const { clock, recorder, host, inputFor } = this.#options;
    const uid = pod.metadata.uid ?? '';
    const trouble = this.#trouble.get(uid)?.get(volume.name);
    if (trouble && monotonicNow(clock) < trouble.notBefore) return false;
    try {
      const plan = await planVolume(inputFor(pod), volume);
      this.#note(uid, volume, plan);
      await host?.setUp(plan);
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

  #note(uid: string, { name, persistentVolumeClaim, ephemeral }: Volume, plan: VolumePlan): void {
    if (!persistentVolumeClaim && !ephemeral) return;
    const path = pathOf(plan);
    if (path !== undefined) entryOf(this.#claimPaths, uid, () => new Map<string, string>()).set(name, path);
    if (plan.kind === 'csi')
      entryOf(this.#inUse, uid, () => new Set<string>()).add(`kubernetes.io/csi/${plan.driver}^${plan.volumeHandle}`);
  }

  #putOff(uid: string, volume: string, trouble: Trouble | undefined): void {
    const delayMs = trouble ? Math.min(longestDelayMs, trouble.delayMs * 2) : firstDelayMs;
    const volumes = entryOf(this.#trouble, uid, () => new Map<string, Trouble>());
    volumes.set(volume, { delayMs, notBefore: monotonicNow(this.#options.clock) + delayMs });
  }

  #complain(pod: Pod, missing: readonly string[]): void {
    const { clock, recorder } = this.#options;
    const uid = pod.metadata.uid ?? '';
    const since = this.#waitingSince.get(uid) ?? monotonicNow(clock);
    this.#waitingSince.set(uid, since);
    if (monotonicNow(clock) - since < patienceMs) return;
    this.#waitingSince.set(uid, monotonicNow(clock));
    const names = [...missing].sort().join(' ');
    const text = `Unable to attach or mount volumes: unmounted volumes=[${names}], unattached volumes=[], failed to process volumes=[]: context deadline exceeded`;
    recorder.event(podReference(pod), 'Warning', 'FailedMount', text);
  }

  #forgetTrouble(uid: string): void {
    this.#trouble.delete(uid);
    this.#waitingSince.delete(uid);
  }
}

/** Whether its content comes from other objects, or from the pod itself. */
function hasFiles({ configMap, secret, downwardAPI, projected }: Volume): boolean {
  return Boolean(configMap ?? secret ?? downwardAPI ?? projected);
}

/** The path on the node that is mounted into containers, if the plan has one. */
function pathOf(plan: VolumePlan): string | undefined {
  if ('directory' in plan) return plan.directory;
  if ('path' in plan) return plan.path;
  return plan.kind === 'csi' ? plan.target : undefined;
}

function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}
