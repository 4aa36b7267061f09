import type { ContainerFilesHost, VolumeHost, VolumePlan } from './volume-host.js';

export interface FakeVolumeHost extends VolumeHost {
  readonly plans: VolumePlan[];
  readonly written: Map<string, string>;
  readonly tornDown: string[];
}

/** Records its calls. */
export function fakeVolumeHost({
  pods = [],
  files = false,
}: {
  pods?: string[];
  files?: boolean;
} = {}): FakeVolumeHost {
  const plans: VolumePlan[] = [];
  const written = new Map<string, string>();
  const tornDown: string[] = [];
  const containerFiles: ContainerFilesHost = {
    write: async (path, content) => void written.set(path, content),
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
    setUp: async (plan) => void plans.push(plan),
    prepareSubPath: async ({ podDirectory, volumeName, containerName, index }) =>
      `${podDirectory}/volume-subpaths/${volumeName}/${containerName}/${index}`,
    tearDown: async (directory) => void tornDown.push(directory),
    podsOnDisk: async () => pods,
    ...(files && { files: containerFiles }),
  };
}
