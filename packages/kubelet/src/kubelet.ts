import type { Pod } from '@coracle/api';
import type { ApiResponse, Channel } from '@coracle/apimachinery';
import { type Activity, type Clock, DisposableStack, type Logger, type Random, type Tracer } from '@coracle/base';
import type { Client, EventRecorder } from '@coracle/client';
import type { ImageService, RuntimeService } from '@coracle/cri';
import { refusalOf } from './admit-pod.js';
import { podReference } from './container-reference.js';
import type { KubeletParts } from './kubelet-parts.js';
import { limitedEvents } from './limited-events.js';
import type { NodeDescription } from './node-description.js';
import { NodeLease } from './node-lease.js';
import { NodeReporter } from './node-status.js';
import { PodEvents } from './pod-events.js';
import type { PodReferences } from './pod-references.js';
import type { PodSource } from './pod-source.js';
import { PodWorkers } from './pod-workers.js';
import { ProbeManager } from './probes/probe-manager.js';
import type { Prober } from './probes/prober.js';
import { RestartBackoff } from './restart-backoff.js';
import { podUidLabel } from './runtime-labels.js';
import { openStream, type StreamRequest } from './server/open-stream.js';
import type { RuntimeStreams } from './server/runtime-streams.js';
import { StatusManager } from './status/status-manager.js';
import { PodVolumes, type VolumeDisk } from './volumes/pod-volumes.js';
import { tokenRequester } from './volumes/request-token.js';

export interface KubeletOptions {
  readonly nodeName: string;
  /** As `system:node:<name>` in the group `system:nodes`. */
  readonly client: Client;
  readonly pods: PodSource;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly prober: Prober;
  /** Leads to the runtime's streams. */
  readonly streams: RuntimeStreams;
  readonly node: NodeDescription;
  readonly references: PodReferences;
  /** Where volumes are written to; nowhere unless given. */
  readonly disk?: VolumeDisk;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly activity: Activity;
  readonly recorder: EventRecorder;
  /** Removes the taint of a node that is not ready by itself, where no controller does. */
  readonly clearNotReadyTaint?: boolean;
}

export interface Kubelet extends AsyncDisposable {
  readonly nodeName: string;
  /** Registers the node and begins to run its pods. */
  start(): Promise<void>;
  /** Opens a channel into one of its pods: exec, attach, port-forward. Otherwise, what it answers instead. */
  connect(request: StreamRequest, protocols: readonly string[]): Promise<Channel | ApiResponse>;
}

/** The agent of one node: runs the node's pods through a container runtime, and reports on them and on the node. */
export function createKubelet(given: KubeletOptions): Kubelet {
  const options = { ...given, recorder: limitedEvents(given.recorder, given.clock) };
  const stack = new DisposableStack();
  return {
    nodeName: options.nodeName,
    start: () => start(options, stack),
    connect: (request, protocols) => openStream(options, request, protocols),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

async function start(options: KubeletOptions, stack: DisposableStack): Promise<void> {
  const { nodeName, node: description, runtime, pods, recorder } = options;
  const reporter = stack.use(new NodeReporter({ ...options, description }));
  const { runtimeName = '' } = await runtime.version({});
  const parts = makeParts(options, runtimeName, (uid) => workers.wake(uid));
  stack.use(parts.statuses);
  stack.use(parts.probes);
  const workers = stack.use(new PodWorkers(parts));
  await reporter.start();
  stack.use(new NodeLease({ ...options, node: () => reporter.node }));
  recorder.event({ kind: 'Node', name: nodeName, uid: nodeName }, 'Normal', 'Starting', 'Starting kubelet.');
  const leftOver = await sandboxesByPod(runtime);
  stack.use(
    new PodEvents({ ...options, onEvent: (event) => workers.onEvent(event), onChange: (uid) => workers.wake(uid) }),
  );
  stack.use(
    pods.follow(nodeName, {
      set: (pod) => onPod({ pod, parts, workers, reporter, leftOver }),
      remove: ({ metadata }) => workers.remove(metadata.uid ?? ''),
    }),
  );
  void pods.synced().then(() => removeOrphans(options, leftOver));
}

/** What is left in the runtime of pods that the API has forgotten meanwhile goes. */
async function removeOrphans({ runtime, logger }: KubeletOptions, leftOver: Map<string, string[]>): Promise<void> {
  for (const podSandboxId of [...leftOver.values()].flat()) {
    try {
      await runtime.removePodSandbox({ podSandboxId });
    } catch (error) {
      logger.error('An orphaned sandbox could not be removed', { sandbox: podSandboxId, error });
    }
  }
  leftOver.clear();
}

function makeParts(options: KubeletOptions, runtimeName: string, onProbe: (uid: string) => void): KubeletParts {
  const { node, ...rest } = options;
  const { nodeName, client, references, clock, recorder, disk } = options;
  const hostIps = node.addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
  const allocatable = node.allocatable ?? node.capacity;
  const requestToken = tokenRequester(client);
  // Volumes are made before the pod has an address, so none of their files can hold one.
  const place = { nodeName, hostIps, podIps: [], references, allocatable, requestToken };
  return {
    ...rest,
    runtimeName,
    hostIps,
    allocatable,
    volumes: new PodVolumes({ clock, recorder, disk, inputFor: (pod) => ({ ...place, pod }) }),
    backoff: new RestartBackoff(options.clock),
    statuses: new StatusManager(options),
    probes: new ProbeManager({ ...options, onChange: onProbe }),
  };
}

/** What a runtime still has of pods from before this kubelet started. */
async function sandboxesByPod(runtime: RuntimeService): Promise<Map<string, string[]>> {
  const { items = [] } = await runtime.listPodSandbox({});
  const byPod = new Map<string, string[]>();
  for (const { id = '', labels } of items) {
    const uid = labels?.[podUidLabel] ?? '';
    byPod.set(uid, [...(byPod.get(uid) ?? []), id]);
  }
  return byPod;
}

interface PodArrival {
  readonly pod: Pod;
  readonly parts: KubeletParts;
  readonly workers: PodWorkers;
  readonly reporter: NodeReporter;
  readonly leftOver: Map<string, string[]>;
}

function onPod({ pod, parts, workers, reporter, leftOver }: PodArrival): void {
  const uid = pod.metadata.uid ?? '';
  if (workers.has(uid)) {
    if (parts.statuses.observe(pod) || workers.differs(pod)) workers.update(pod);
    return;
  }
  parts.tracer.step('kubelet.podAdded', `pods/${pod.metadata.namespace}/${pod.metadata.name}`);
  const sandboxes = leftOver.get(uid);
  leftOver.delete(uid);
  const refusal = sandboxes || pod.metadata.deletionTimestamp ? undefined : refusalOf(pod, reporter.node, workers.used);
  if (!refusal) {
    workers.add(pod, sandboxes);
    return;
  }
  parts.recorder.event(podReference(pod), 'Warning', refusal.reason, refusal.message);
  workers.reject(pod, refusal);
}
