import type { Node, Pod } from '@coracle/api';
import type { HostUsageSource } from './host-usage.js';
import type { KubeletOptions } from './kubelet-options.js';
import { limitedEvents } from './limited-events.js';
import { nodeAllocatable } from './node-allocatable.js';
import type { PressureCondition } from './node-conditions.js';
import type { NodeDescription } from './node-description.js';
import type { PodFailure } from './pod-failure.js';
import { defaultSettings, type KubeletSettings } from './settings.js';

/** All that a kubelet was given, with what follows from it. */
interface KubeletSetup extends Omit<KubeletOptions, 'settings' | 'host' | 'node'> {
  readonly settings: KubeletSettings;
  readonly host: HostUsageSource | undefined;
  readonly description: NodeDescription;
}

/** State and callbacks that the parts of a kubelet share. */
export interface KubeletLinks {
  /** As the API had it last. */
  readonly node: () => Node | undefined;
  /** As in the API now. */
  readonly readNode: () => Promise<Node | undefined>;
  /** What the node is short of. */
  readonly pressures: () => ReadonlySet<PressureCondition>;
  /** The volumes of others, such as disks in a network, that pods of the node have mounted. */
  readonly volumesInUse: () => readonly string[];
  /** The pods that may run. */
  readonly activePods: () => readonly Pod[];
  /** Fails a pod; resolves when none of its containers runs any more. */
  readonly evict: (pod: Pod, failure: PodFailure, graceSeconds?: number) => Promise<void>;
  /** Resolves when the volumes of a pod that has ended are taken down. */
  readonly released: (pod: Pod) => Promise<void>;
  /** Removes dead containers and unused images. */
  readonly reclaimDisk: () => Promise<void>;
  /** What else may be wrong with the runtime, if anything. */
  readonly alsoWrong: () => string | undefined;
  /** Why the node is not ready, if it is shutting down. */
  readonly shutdown: () => string | undefined;
  /** The runtime works again, or its network does. */
  readonly onRecovered: () => void;
}

/** What the parts of a kubelet share: one object, because nodes are many and each copy takes a kilobyte. */
export type KubeletContext = KubeletSetup & KubeletLinks;

export function kubeletContext(kubeletOptions: KubeletOptions, links: KubeletLinks): KubeletContext {
  const { node, ...options } = kubeletOptions;
  const settings = completeSettings(options.settings);
  const allocatable = node.allocatable ?? nodeAllocatable(node.capacity, settings);
  return {
    ...options,
    ...links,
    host: options.host,
    recorder: limitedEvents(options.recorder, options.clock),
    settings,
    description: node.allocatable ? node : { ...node, allocatable },
  };
}

/** By what differs from the defaults: kubelets that are given the same object share the result. */
const completed = new WeakMap<Partial<KubeletSettings>, KubeletSettings>();

function completeSettings(settings: Partial<KubeletSettings> = defaultSettings): KubeletSettings {
  const present = completed.get(settings);
  if (present) return present;
  const complete = { ...defaultSettings, ...settings };
  completed.set(settings, complete);
  return complete;
}
