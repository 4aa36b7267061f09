import { type Pod, refs } from '@coracle/api';
import type { InformerEvent, InformerFactory, InformerOptions } from '@coracle/client';

/** Receives the pods of a kubelet's node. */
export interface PodSink {
  /** A pod of this node was added or updated. */
  set(pod: Pod): void;
  /** A pod was removed from the API. */
  remove(pod: Pod): void;
}

/** Where a kubelet's pods come from. */
export interface PodSource {
  /** Reports every pod of `nodeName`, beginning with existing ones, until the result is disposed. */
  follow(nodeName: string, sink: PodSink): Disposable;
  /** Resolves when all pods of the API have been delivered. */
  synced(): Promise<void>;
}

const nodeIndex = 'spec.nodeName';

/** One watch on all pods for any number of kubelets: each receives its own. */
export function createPodSource(informers: InformerFactory, options: InformerOptions = {}): PodSource & Disposable {
  const pods = informers.for(refs.pods, options);
  const sinks = new Map<string, PodSink>();
  pods.addIndex(nodeIndex, nodeOf);
  const handler = pods.addHandler((event) => {
    const sink = sinks.get(event.object.spec?.nodeName ?? '');
    if (sink) tell(sink, event);
  });
  return {
    follow(nodeName, sink) {
      sinks.set(nodeName, sink);
      // The oldest first: if the node has too few resources, these keep theirs.
      for (const pod of [...pods.byIndex(nodeIndex, nodeName)].sort(byAge)) sink.set(pod);
      return { [Symbol.dispose]: () => void (sinks.get(nodeName) === sink && sinks.delete(nodeName)) };
    },
    synced: () => pods.synced(),
    [Symbol.dispose]: () => handler[Symbol.dispose](),
  };
}

/** A pod that was deleted and created again between two reads of the API is delivered as both. */
function tell(sink: PodSink, event: InformerEvent<Pod>): void {
  if (event.type === 'deleted') {
    sink.remove(event.object);
    return;
  }
  const replaced = event.type === 'updated' && event.previous.metadata.uid !== event.object.metadata.uid;
  if (replaced && event.previous.spec?.nodeName === event.object.spec?.nodeName) sink.remove(event.previous);
  sink.set(event.object);
}

/** One function, because several sources may share an informer. */
function nodeOf({ spec }: Pod): string[] {
  return spec?.nodeName ? [spec.nodeName] : [];
}

function byAge(a: Pod, b: Pod): number {
  const [first, second] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  return first < second ? -1 : first > second ? 1 : 0;
}
