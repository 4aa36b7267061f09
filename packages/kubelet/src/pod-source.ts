import { type Pod, refs } from '@coracle/api';
import type { InformerEvent, InformerFactory, InformerOptions } from '@coracle/client';

/** Receives the pods of a kubelet's node. */
export interface PodSink {
  /** A pod of this node is there, or is different from before. */
  set(pod: Pod): void;
  /** It was removed from the API. */
  remove(pod: Pod): void;
}

/** Where a kubelet's pods come from. */
export interface PodSource {
  /** Reports every pod of `nodeName`, those that are there already first. Disposing the result ends it. */
  follow(nodeName: string, sink: PodSink): Disposable;
  /** Resolves when all pods of the API have been delivered. */
  synced(): Promise<void>;
}

const nodeIndex = 'spec.nodeName';

/** One watch on all pods for however many kubelets: each receives its own. */
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
      // The oldest first: if the node has too little room, they are the ones that keep theirs.
      for (const pod of [...pods.byIndex(nodeIndex, nodeName)].sort(byAge)) sink.set(pod);
      return { [Symbol.dispose]: () => void (sinks.get(nodeName) === sink && sinks.delete(nodeName)) };
    },
    synced: () => pods.synced(),
    [Symbol.dispose]: () => handler[Symbol.dispose](),
  };
}

/** A pod that was deleted and made again between two reads of the API is delivered as both. */
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
