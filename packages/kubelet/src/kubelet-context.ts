import type { Node, Pod } from '@coracle/api';
import type { HostUsageSource } from './host-usage.js';
import type { KubeletOptions } from './kubelet-options.js';
import { limitedEvents } from './limited-events.js';
import { nodeAllocatable } from './node-allocatable.js';
import type { PressureCondition } from './node-conditions.js';
import type { NodeDescription } from './node-description.js';
import type { PodFailure } from './pod-failure.js';
import { defaultSettings, type KubeletSettings } from './settings.js';

/** The options of a kubelet, and values derived from them. */
interface KubeletSetup extends Omit<KubeletOptions, 'settings' | 'host' | 'node'> {
  readonly settings: KubeletSettings;
  readonly host: HostUsageSource | undefined;
  readonly description: NodeDescription;
}

/** State and callbacks that the parts of a kubelet share. */
export interface KubeletLinks {
  /** The node in its last known state. */
  readonly node: () => Node | undefined;
  /** The node, read from the API. */
  readonly readNode: () => Promise<Node | undefined>;
  /** The current pressure conditions. */
  readonly pressures: () => ReadonlySet<PressureCondition>;
  /** Attachable volumes, such as network disks, that pods of the node have mounted. */
  readonly volumesInUse: () => readonly string[];
  /** The pods that may run. */
  readonly activePods: () => readonly Pod[];
  /** Fails a pod; resolves when none of its containers runs any more. */
  readonly evict: (pod: Pod, failure: PodFailure, graceSeconds?: number) => Promise<void>;
  /** Resolves when the volumes of an ended pod are removed. */
  readonly released: (pod: Pod) => Promise<void>;
  /** Removes dead containers and unused images. */
  readonly reclaimDisk: () => Promise<void>;
  /** An additional problem with the runtime, if any. */
  readonly alsoWrong: () => string | undefined;
  /** Why the node is not ready, if it is shutting down. */
  readonly shutdown: () => string | undefined;
  /** Called when the runtime, or its network, works again. */
  readonly onRecovered: () => void;
}

/** Shared by the parts of a kubelet as one object: there are many nodes, and each copy takes a kilobyte. */
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

/** Cached by the overrides: kubelets with the same object share the result. */
const completed = new WeakMap<Partial<KubeletSettings>, KubeletSettings>();

function completeSettings(settings: Partial<KubeletSettings> = defaultSettings): KubeletSettings {
  const present = completed.get(settings);
  if (present) return present;
  const complete = { ...defaultSettings, ...settings };
  completed.set(settings, complete);
  return complete;
}
