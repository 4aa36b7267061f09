import type { FsStats } from '../fs-stats.js';
import type { VolumeFiles } from './volume-file.js';

/** What a directory holds. */
export interface DirectorySize {
  readonly bytes: number;
  readonly inodes: number;
}

/** How the files of a volume are given to the group that all containers of a pod belong to. */
export interface GroupOwnership {
  readonly fsGroup: number;
  /** `OnRootMismatch`: nothing is changed if the root of the volume already has the right group and mode. */
  readonly changePolicy: 'Always' | 'OnRootMismatch';
}

/** Files that follow from API objects: configMap, secret, downwardAPI, projected. */
export interface FilesPlan {
  readonly kind: 'files';
  readonly directory: string;
  readonly files: VolumeFiles;
  /** Secrets are in memory (tmpfs). */
  readonly medium: 'disk' | 'memory';
  readonly ownership?: GroupOwnership;
}

/** A directory that lives as long as the pod: emptyDir. */
export interface EmptyDirectoryPlan {
  readonly kind: 'empty-directory';
  readonly directory: string;
  readonly medium: 'disk' | 'memory' | 'hugepages';
  /** The most that memory may hold. */
  readonly sizeBytes?: number;
  /** Of hugepages: `2Mi`. */
  readonly pageSize?: string;
  readonly ownership?: GroupOwnership;
}

/** A path of the node that is there, or is made, and must be of this type. */
export interface HostPathPlan {
  readonly kind: 'host-path';
  readonly path: string;
  /** As the API names them; empty for no check. */
  readonly type: string;
}

/** A directory or device of the node that is mounted below the pod's directory: local persistent volumes. */
export interface BindPlan {
  readonly kind: 'bind';
  readonly directory: string;
  readonly source: string;
  readonly readOnly: boolean;
  /** Of a block device that holds a file system; it is made if the device is empty. */
  readonly fsType?: string;
  readonly mountOptions: readonly string[];
  readonly ownership?: GroupOwnership;
}

/** A file system elsewhere: NFS. */
export interface RemotePlan {
  readonly kind: 'remote';
  readonly directory: string;
  /** `server:/path`. */
  readonly source: string;
  readonly fsType: string;
  readonly readOnly: boolean;
  readonly mountOptions: readonly string[];
}

/** A device of the node that containers see as a device. */
export interface BlockDevicePlan {
  readonly kind: 'block-device';
  readonly path: string;
}

/** A volume of a CSI driver, with the parameters of its node calls. */
export interface CsiPlan {
  readonly kind: 'csi';
  readonly driver: string;
  readonly volumeHandle: string;
  /** Where the driver publishes it: a directory, or a file that stands for the device. */
  readonly target: string;
  /** Where the driver stages it once for all pods of the node; absent for inline volumes. */
  readonly stagingDirectory?: string;
  readonly block: boolean;
  readonly readOnly: boolean;
  readonly accessMode: string;
  readonly fsType: string;
  readonly mountOptions: readonly string[];
  readonly volumeContext: Readonly<Record<string, string>>;
  readonly publishContext: Readonly<Record<string, string>>;
  readonly stageSecrets: Readonly<Record<string, string>>;
  readonly publishSecrets: Readonly<Record<string, string>>;
  /** The group is handed to the driver where it can take it, and set by the kubelet according to `fsGroupPolicy`. */
  readonly ownership?: GroupOwnership;
  /** The persistent volume, or the volume of the pod if it is inline. */
  readonly specName: string;
  /** The volume of the pod. */
  readonly volumeName: string;
}

/** Mounted by the container runtime: images. */
export interface RuntimeMountPlan {
  readonly kind: 'runtime';
}

/** A kind of volume that needs a driver which is not there. */
export interface UnsupportedPlan {
  readonly kind: 'unsupported';
  readonly plugin: string;
}

/** What has to be on the node so that a volume can be mounted into containers. */
export type VolumePlan =
  | FilesPlan
  | EmptyDirectoryPlan
  | HostPathPlan
  | BindPlan
  | RemotePlan
  | BlockDevicePlan
  | CsiPlan
  | RuntimeMountPlan
  | UnsupportedPlan;

/** A part of a volume that a container mounts by `subPath`. */
export interface SubPathRequest {
  readonly volumePath: string;
  /** Relative, without `..`. */
  readonly subPath: string;
  readonly podDirectory: string;
  readonly volumeName: string;
  readonly containerName: string;
  /** The index of the mount in the container. */
  readonly index: number;
}

/** Files beside volumes that the kubelet mounts into containers. */
export interface ContainerFilesHost {
  /** Replaces the content in place: containers have the file mounted. Folders are made. */
  write(path: string, content: string, mode: number): Promise<void>;
  /** The last bytes of a file; `undefined` if there is none. */
  readTail(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /**
   * The first bytes of a regular file below a folder that containers may write to; `undefined` if there is none. No
   * symbolic link leads out of the folder.
   */
  readBelow(folder: string, path: string, maxBytes: number): Promise<Uint8Array | undefined>;
}

/** The machine of a node, as far as the volumes of its pods are concerned. */
export interface VolumeHost {
  /** Everything that the kubelet keeps: `/var/lib/kubelet`. */
  readonly root: string;
  /** Creates the directories below the root that all pods share. Absent where nothing is on a disk. */
  readonly makeDirectories?: () => Promise<void>;
  /** Creates the directories of a pod below the given one. Absent where nothing is on a disk. */
  readonly makePodDirectories?: (podDirectory: string) => Promise<void>;
  /** Brings a volume to where its plan says. Done again, it brings it up to date. */
  setUp(plan: VolumePlan): Promise<void>;
  /** Makes the file system of a published volume so large. False when its driver does no such thing on nodes. */
  expand?(plan: CsiPlan, bytes: number): Promise<boolean>;
  /** Returns the path at which a part of a volume is found. No symbolic link leads out of the volume. */
  prepareSubPath(request: SubPathRequest): Promise<string>;
  /**
   * Mounts an image of the runtime, read-only, at a directory below that of a pod; does nothing if it is mounted.
   * Absent where the runtime mounts images itself.
   */
  mountImage?(image: string, directory: string): Promise<void>;
  /**
   * Unmounts everything below the directory of a pod and removes its own volumes. What containers wrote to their
   * termination logs stays. Absent where volumes take up nothing.
   */
  tearDownVolumes?(podDirectory: string): Promise<void>;
  /** Unmounts everything below the directory of a pod, then removes it. What other pods use stays. */
  tearDown(podDirectory: string): Promise<void>;
  /** The uids of all pods that have a directory. */
  podsOnDisk(): Promise<readonly string[]>;
  /** Absent where containers have no files. */
  readonly files?: ContainerFilesHost;
  readonly measure?: (directory: string) => Promise<DirectorySize>;
  /** Statistics from drivers of the volumes that they have published for a pod, by the name of the volume. */
  readonly driverStats?: (podDirectory: string) => Promise<ReadonlyMap<string, Omit<FsStats, 'time'>>>;
}
