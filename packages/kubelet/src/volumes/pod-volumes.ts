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
  /** For pods whose termination message is the end of their log. */
  readonly readLogEnd?: ReadLogEnd | undefined;
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
/** After so long without all of its volumes, a pod gets an event that names them. */
const patienceMs: Millis = 123_000;

/** The most that is read of a file in a volume. */
const mostFileBytes = 1024 * 1024;

const mounted: MountOutcome = { mounted: true };

/** Sets up the volumes of pods before their containers, and tries again later and later what does not work. */
export class PodVolumes {
  readonly #options: PodVolumesOptions;
  /** By pod, then by volume; pods without trouble are not in it. */
  readonly #trouble = new Map<string, Map<string, Trouble>>();
  /** Since when a pod has been waiting. */
  readonly #waitingSince = new Map<string, Millis>();
  /** Attachable volumes that pods use, by pod. */
  readonly #inUse = new Map<string, Set<string>>();
  /** Where the volumes behind claims are, by pod and volume. */
  readonly #claimPaths = new Map<string, Map<string, string>>();
  /** Pods that may have volumes on the node: set up, and not taken down yet. */
  readonly #present = new Set<string>();
  /** The end of what is being done with the volumes of a pod, by pod. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(options: PodVolumesOptions) {
    this.#options = options;
  }

  /** Whether the pod has its directories. An event says why not. */
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

  /**
   * Files that come from other objects are written again: these may have changed. Nothing is set up for a deleted pod.
   */
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

  /** Containers that have ended, with what they wrote to their termination logs. */
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

  /** Attachable volumes, such as disks in a network, that pods have mounted; named as the API names them. */
  get inUse(): readonly string[] {
    return this.#inUse.size === 0 ? [] : [...new Set([...this.#inUse.values()].flatMap((names) => [...names]))].sort();
  }

  /** Some of its volumes are those of a driver. */
  usesDrivers({ metadata }: Pod): boolean {
    return this.#inUse.has(metadata.uid ?? '');
  }

  /** What plans for volumes of the pod are made from. */
  inputFor(pod: Pod): VolumeInput {
    return this.#options.inputFor(pod);
  }

  /** None of the pod's containers will run any more: its volumes are taken down, and what its status is read from stays. */
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

  /** What volumes of the pod waited for is available: they need not wait for their next turn. */
  retry({ metadata }: Pod): void {
    this.#trouble.delete(metadata.uid ?? '');
  }

  /** Takes down what pods left behind that no longer exist, such as those deleted while the kubelet was down. */
  async removeOrphans(isWanted: (podUid: string) => boolean): Promise<void> {
    const { host } = this.#options;
    for (const uid of (await host?.podsOnDisk()) ?? [])
      if (!isWanted(uid)) await host?.tearDown(`${host.root}/pods/${uid}`);
  }

  /** Refreshes come at any time: two writers of one directory would remove each other's files. */
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

/** Its content is that of other objects, or of the pod itself. */
function hasFiles({ configMap, secret, downwardAPI, projected }: Volume): boolean {
  return Boolean(configMap ?? secret ?? downwardAPI ?? projected);
}

/** What is mounted into containers, if the plan has it somewhere on the node. */
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
