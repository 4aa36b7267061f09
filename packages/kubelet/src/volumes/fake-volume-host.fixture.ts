import type { ContainerFilesHost, VolumeHost, VolumePlan } from './volume-host.js';

export interface FakeVolumeHost extends VolumeHost {
  readonly plans: VolumePlan[];
  readonly written: Map<string, string>;
  readonly tornDown: string[];
  /** Mounted images with their paths. */
  readonly images: [string, string][];
}

/** Records its calls. */
export function fakeVolumeHost({
  pods = [],
  files = false,
  mountsImages = false,
}: {
  pods?: string[];
  files?: boolean;
  mountsImages?: boolean;
} = {}): FakeVolumeHost {
  const plans: VolumePlan[] = [];
  const written = new Map<string, string>();
  const tornDown: string[] = [];
  const images: [string, string][] = [];
  const containerFiles: ContainerFilesHost = {
    write: async (path, content) => void written.set(path, content),
    readBelow: (folder, path, maxBytes) => containerFiles.readTail(`${folder}/${path}`, maxBytes),
    readTail: async (path) => {
      const text = written.get(path);
      return text === undefined ? undefined : new TextEncoder().encode(text);
    },
  };
  return {
    root: '/var/lib/kubelet',
    plans,
    written,
    tornDown,
    images,
    setUp: async (plan) => void plans.push(plan),
    prepareSubPath: async ({ podDirectory, volumeName, containerName, index }) =>
      `${podDirectory}/volume-subpaths/${volumeName}/${containerName}/${index}`,
    tearDown: async (directory) => void tornDown.push(directory),
    podsOnDisk: async () => pods,
    ...(mountsImages && {
      mountImage: async (image: string, directory: string) => void images.push([image, directory]),
    }),
    ...(files && { files: containerFiles }),
  };
}
