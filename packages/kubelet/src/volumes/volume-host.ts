import type { FsStats } from '../fs-stats.js';
import type { VolumeFiles } from './volume-file.js';

/** Disk usage of a directory. */
export interface DirectorySize {
  readonly bytes: number;
  readonly inodes: number;
}

/** How the group ownership of a volume's files is changed to the pod's fsGroup. */
export interface GroupOwnership {
  readonly fsGroup: number;
  /** `OnRootMismatch`: nothing is changed if the root of the volume already has the right group and mode. */
  readonly changePolicy: 'Always' | 'OnRootMismatch';
}

/** Files from API objects: configMap, secret, downwardAPI, projected. */
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
  /** Size limit in memory. */
  readonly sizeBytes?: number;
  /** Page size of hugepages: `2Mi`. */
  readonly pageSize?: string;
  readonly ownership?: GroupOwnership;
}

/** A hostPath of this type, which exists or is created. */
export interface HostPathPlan {
  readonly kind: 'host-path';
  readonly path: string;
  /** As in the API; empty for no check. */
  readonly type: string;
}

/** A directory or device of the node that is mounted below the pod's directory: local persistent volumes. */
export interface BindPlan {
  readonly kind: 'bind';
  readonly directory: string;
  readonly source: string;
  readonly readOnly: boolean;
  /** Filesystem type of a block device; the filesystem is created if the device is empty. */
  readonly fsType?: string;
  readonly mountOptions: readonly string[];
  readonly ownership?: GroupOwnership;
}

/** A remote filesystem: NFS. */
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
  /** The path where the driver publishes it: a directory, or a file for a block device. */
  readonly target: string;
  /** The path where the driver stages it once for all pods of the node; absent for inline volumes. */
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
  /**
   * The group is passed to the driver if it supports that, otherwise the kubelet sets it according to `fsGroupPolicy`.
   */
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

/** A volume type that needs a missing driver. */
export interface UnsupportedPlan {
  readonly kind: 'unsupported';
  readonly plugin: string;
}

/** The plan for a volume on the node, so that it can be mounted into containers. */
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

/** A `subPath` of a volume that a container mounts. */
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
  /** Replaces the content in place, because containers have the file mounted. Creates directories. */
  write(path: string, content: string, mode: number): Promise<void>;
  /** The last bytes of a file; `undefined` if there is none. */
  readTail(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /**
   * The first bytes of a regular file below a directory that containers may write to; `undefined` if there is none.
   * Symbolic links that lead out of the directory are not followed.
   */
  readBelow(folder: string, path: string, maxBytes: number): Promise<Uint8Array | undefined>;
}

/** The volumes of a node's machine. */
export interface VolumeHost {
  /** Root directory of the kubelet: `/var/lib/kubelet`. */
  readonly root: string;
  /** Creates the directories below the root that all pods share. Absent where there is no disk. */
  readonly makeDirectories?: () => Promise<void>;
  /** Creates the directories of a pod below this one. Absent where there is no disk. */
  readonly makePodDirectories?: (podDirectory: string) => Promise<void>;
  /** Sets up a volume according to its plan; repeated, it updates the volume. */
  setUp(plan: VolumePlan): Promise<void>;
  /** Expands the filesystem of a published volume to this size. False if its driver does not expand on nodes. */
  expand?(plan: CsiPlan, bytes: number): Promise<boolean>;
  /** Resolves a subPath of a volume, which no symbolic link may leave. */
  prepareSubPath(request: SubPathRequest): Promise<string>;
  /**
   * Mounts an image of the runtime, read-only, below the directory of a pod; does nothing if it is mounted. Absent
   * where the runtime mounts images itself.
   */
  mountImage?(image: string, directory: string): Promise<void>;
  /**
   * Unmounts everything below the directory of a pod and removes its own volumes. Termination logs stay. Absent where
   * volumes use no resources.
   */
  tearDownVolumes?(podDirectory: string): Promise<void>;
  /** Unmounts everything below the directory of a pod, then removes it. Volumes of other pods stay. */
  tearDown(podDirectory: string): Promise<void>;
  /** The uids of all pods that have a directory. */
  podsOnDisk(): Promise<readonly string[]>;
  /** Absent where containers have no files. */
  readonly files?: ContainerFilesHost;
  readonly measure?: (directory: string) => Promise<DirectorySize>;
  /** Statistics of a pod's CSI volumes from their drivers, by the name of the volume. */
  readonly driverStats?: (podDirectory: string) => Promise<ReadonlyMap<string, Omit<FsStats, 'time'>>>;
}
