import type { Pod } from '@coracle/api';
import { ContainerState, type RuntimeService } from '@coracle/cri';

const nameLabel = 'io.kubernetes.pod.name';
const namespaceLabel = 'io.kubernetes.pod.namespace';
const uidLabel = 'io.kubernetes.pod.uid';

/** The pods that have containers in the runtime, whatever the API has. */
export async function runningPods(runtime: RuntimeService): Promise<Pod[]> {
  const filter = { state: { state: ContainerState.CONTAINER_RUNNING } };
  const { containers = [] } = await runtime.listContainers({ filter });
  const pods = new Map<string, Pod>();
  for (const { labels = {}, metadata, image } of containers) {
    const uid = labels[uidLabel] ?? '';
    const pod = pods.get(uid) ?? emptyPod(labels);
    pods.set(uid, pod);
    pod.spec?.containers.push({ name: metadata?.name ?? '', image: image?.image ?? '' });
  }
  return [...pods.values()];
}

function emptyPod(labels: Readonly<Record<string, string>>): Pod {
  return {
    metadata: { name: labels[nameLabel] ?? '', namespace: labels[namespaceLabel] ?? '', uid: labels[uidLabel] ?? '' },
    spec: { containers: [] },
    status: {},
  };
}
