import type { SubPathRequest, VolumeFiles, VolumeHost, VolumePlan } from '@coracle/kubelet';
import { FileTree } from './file-tree.js';

/** The content of a volume: files from API objects, or files that containers write. */
export type SimulatedVolume =
  | { readonly kind: 'given'; readonly files: VolumeFiles }
  | { readonly kind: 'own'; readonly tree: FileTree };

/** The disk of a simulated node: its volumes, by their directories. Volumes that are never read cost nothing. */
export class SimulatedDisk implements VolumeHost {
  readonly root = '/var/lib/kubelet';
  readonly #volumes = new Map<string, SimulatedVolume>();
  readonly #declared: (directory: string) => number;

  /** `declared`: the usage of a directory beside its files, from annotations. */
  constructor(declared: (directory: string) => number = () => 0) {
    this.#declared = declared;
  }

  async setUp(plan: VolumePlan): Promise<void> {
    if (plan.kind === 'files') this.#volumes.set(plan.directory, { kind: 'given', files: plan.files });
  }

  async prepareSubPath({ volumePath, subPath }: SubPathRequest): Promise<string> {
    const volume = this.volumeIn(volumePath);
    if (volume.kind === 'own' && !volume.tree.at(subPath)) volume.tree.makeDirectory(subPath);
    return `${volumePath}/${subPath}`;
  }

  /** Its content ends with the process. */
  async podsOnDisk(): Promise<readonly string[]> {
    return [];
  }

  async tearDown(directory: string): Promise<void> {
    for (const each of this.#volumes.keys())
      if (each === directory || each.startsWith(`${directory}/`)) this.#volumes.delete(each);
  }

  readonly measure = async (directory: string) => {
    const volume = this.#volumes.get(directory);
    const { bytes, inodes } = volume?.kind === 'own' ? volume.tree.usage : { bytes: 0, inodes: 1 };
    return { bytes: bytes + this.#declared(directory), inodes };
  };

  /** The volume in a directory; an empty one if nothing was written there. */
  volumeIn(directory: string): SimulatedVolume {
    const entry = this.#volumes.get(directory);
    if (entry) return entry;
    const made: SimulatedVolume = { kind: 'own', tree: new FileTree() };
    this.#volumes.set(directory, made);
    return made;
  }
}
