import type { Pod } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import type { Clock, Logger } from '@coracle/base';
import type { EventRecorder } from '@coracle/client';
import { podReference } from '../container-reference.js';
import type { PodSink } from '../pod-source.js';
import { seenAnnotation } from './pod-origin.js';
import { type ManifestOrigin, staticPod, staticPodProblems } from './static-pod.js';

/** A manifest with its location. */
export interface PodManifest {
  readonly pod: Pod;
  readonly location: string;
}

/** A source of static pods of a node. */
export interface StaticPodSource {
  readonly source: ManifestOrigin['source'];
  /** Reports all manifests, now and after each change. */
  follow(tell: (manifests: readonly PodManifest[]) => void): Disposable;
}

export interface StaticPodsOptions {
  readonly nodeName: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly recorder: EventRecorder;
}

/** Follows one source of static pods: turns complete lists into changes. */
export function followStaticPods(options: StaticPodsOptions, from: StaticPodSource, sink: PodSink): Disposable {
  /** By uid. */
  let pods = new Map<string, Pod>();
  return from.follow((manifests) => {
    const newPods = readManifests(options, from.source, manifests);
    const before = pods;
    pods = newPods;
    for (const [uid, pod] of before) if (!newPods.has(uid)) sink.remove(pod);
    for (const [uid, pod] of newPods) if (!before.has(uid)) sink.set(pod);
  });
}

/** A manifest that is not a pod, or has the name of another one, is skipped and logged. */
function readManifests(
  { nodeName, clock, logger, recorder }: StaticPodsOptions,
  source: ManifestOrigin['source'],
  manifests: readonly PodManifest[],
): Map<string, Pod> {
  const pods = new Map<string, Pod>();
  const names = new Set<string>();
  for (const { pod: manifest, location } of manifests) {
    const pod = staticPod(manifest, { nodeName, source, location });
    const { name, namespace, uid = '' } = pod.metadata;
    const fullName = `${namespace}/${name}`;
    const problems = staticPodProblems(pod);
    if (names.has(fullName)) {
      const message = `Error validating pod ${name}_${namespace} from ${source} due to duplicate pod name ${JSON.stringify(name)}, ignoring`;
      recorder.event(podReference(pod), 'Warning', 'FailedValidation', message);
    } else if (problems.length > 0) logger.error('Static pod manifest is invalid', { location, problems });
    else
      pods.set(uid, {
        ...pod,
        metadata: {
          ...pod.metadata,
          annotations: { ...pod.metadata.annotations, [seenAnnotation]: formatTime(clock.now()) },
        },
      });
    names.add(fullName);
  }
  return pods;
}
