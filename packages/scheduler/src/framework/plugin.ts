import type { schedulingv1alpha2 } from '@coracle/api';
import type { Millis } from '@coracle/base';
import type { NodeInfo } from '../cache/node-info.js';
import type { PodInfo } from '../cache/pod-info.js';
import type { ClusterEvent } from '../queue/cluster-event.js';
import type { QueuedPod } from '../queue/queued-pod.js';
import type { CycleState } from './cycle-state.js';
import type { Verdict } from './verdict.js';

/** A plugin implements any number of extension points; each is a small interface that extends this one. */
export interface Plugin {
  readonly name: string;
  /**
   * Says that `filter` and `score` depend on nothing but what the pod requests and tolerates, and the node with its
   * pods: for pods that are alike they need not be called again while the node is the same.
   */
  readonly isNodeLocal?: boolean;
  /**
   * Which changes in the cluster may make a pod fit that this plugin refused. Without it: any change.
   * The test, if there is one, is called with the pod in question.
   */
  readonly wakesOn?: readonly {
    readonly event: ClusterEvent['kind'];
    /** Of events of the kind `other`: the resources that matter; all of them unless given. */
    readonly resources?: readonly string[];
    /** Of events with a subject: those that can help a pod. All of them by default. */
    readonly subjects?: (pod: PodInfo) => readonly string[];
    readonly helps?: (event: ClusterEvent, pod: PodInfo) => boolean;
  }[];
}

/** Keeps pods out of the queue until they may be tried. */
export interface PreEnqueuePlugin extends Plugin {
  preEnqueue(pod: PodInfo): Verdict;
}

/** Orders the queue. A profile has exactly one. */
export interface QueueSortPlugin extends Plugin {
  compare(a: QueuedPod, b: QueuedPod): number;
}

export type PreFilterResult =
  | { readonly kind: 'ready'; readonly nodeNames?: ReadonlySet<string> }
  /** The plugin does not apply to this pod: `filter` is skipped. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'unschedulable' | 'unschedulable-and-unresolvable'; readonly reasons: readonly string[] };

/** Looks at the pod and the whole cluster once, before single nodes. Must not await. */
export interface PreFilterPlugin extends Plugin {
  preFilter(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): PreFilterResult;
  /** Updates the state as if `other` was added to or removed from `node`; for preemption. */
  addPod?(state: CycleState, pod: PodInfo, change: { readonly other: PodInfo; readonly node: NodeInfo }): void;
  removePod?(state: CycleState, pod: PodInfo, change: { readonly other: PodInfo; readonly node: NodeInfo }): void;
}

/** Rules nodes out. Runs for every candidate node, so it must not await. */
export interface FilterPlugin extends Plugin {
  filter(state: CycleState, pod: PodInfo, node: NodeInfo): Verdict;
}

export interface PostFilterResult {
  /** The node where the pod may fit after preemption; written to its status. */
  readonly nominatedNode?: string;
  /** Part of the message that explains why the pod stays pending. */
  readonly message: string;
}

/** Runs when no node fits, to make one fit. */
export interface PostFilterPlugin extends Plugin {
  postFilter(
    state: CycleState,
    pod: PodInfo,
    failures: ReadonlyMap<string, Verdict>,
  ): Promise<PostFilterResult> | PostFilterResult;
}

/** A pod group that cannot be scheduled, and what may be tried out to change that. */
export interface GroupSearch {
  readonly group: schedulingv1alpha2.PodGroup;
  /** Those that wait for a node. */
  readonly pods: readonly PodInfo[];
  readonly nodes: readonly NodeInfo[];
  /** Takes a pod off its node. The result puts it back: the caller must do so with all of them. */
  lift(pod: PodInfo): () => void;
  /** Where each pod of the group would go now, by uid; `undefined` if the group does not fit. */
  tryOut(): Promise<ReadonlyMap<string, string> | undefined>;
}

export interface GroupPostFilterResult {
  /** The nodes where the pods may fit after preemption, by uid. */
  readonly nominated?: ReadonlyMap<string, string>;
  /** Why there are none. */
  readonly message: string;
}

/** Runs when a pod group that preempts as a whole does not fit. */
export interface GroupPostFilterPlugin extends Plugin {
  postFilterGroup(search: GroupSearch): Promise<GroupPostFilterResult>;
}

/** Prepares scoring. `'skip'` leaves the plugin's `score` out. */
export interface PreScorePlugin extends Plugin {
  preScore(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): 'skip' | undefined;
}

/** Ranks the nodes that are left. After `normalize` scores are whole numbers from 0 to 100. */
export interface ScorePlugin extends Plugin {
  score(state: CycleState, pod: PodInfo, node: NodeInfo): number;
  /** Changes the scores of all nodes in place, in the order of `nodes`. */
  normalize?(
    scores: number[],
    context: { readonly state: CycleState; readonly pod: PodInfo; readonly nodes: readonly NodeInfo[] },
  ): void;
}

/** Reserves resources outside the cache while a pod is being bound. `unreserve` must not fail. */
export interface ReservePlugin extends Plugin {
  reserve(state: CycleState, pod: PodInfo, node: string): Verdict | Promise<Verdict>;
  unreserve(state: CycleState, pod: PodInfo, node: string): void;
}

export type Permission =
  | { readonly kind: 'allow' }
  | { readonly kind: 'wait'; readonly timeoutMs: Millis }
  | { readonly kind: 'reject'; readonly reason: string };

/** The last word before binding: yes, no, or wait for others. */
export interface PermitPlugin extends Plugin {
  permit(state: CycleState, pod: PodInfo, node: string): Permission | Promise<Permission>;
}

/** Work that has to be done before a pod is bound, such as attaching what it needs. */
export interface PreBindPlugin extends Plugin {
  /**
   * Whether there is something to do for the pod: it is nominated for the node meanwhile, for others to see where it
   * goes. There always is unless the plugin says so.
   */
  hasPreBindWork?(state: CycleState, pod: PodInfo, node: string): boolean;
  preBind(state: CycleState, pod: PodInfo, node: string): Promise<void>;
}

/** The first that says `bound` ends the rest. */
export interface BindPlugin extends Plugin {
  bind(state: CycleState, pod: PodInfo, node: string): Promise<'bound' | 'skip'>;
}

export interface PostBindPlugin extends Plugin {
  postBind(state: CycleState, pod: PodInfo, node: string): void;
}

/** The extension points by name, for authors of plugins. */
export interface SchedulerPlugins {
  readonly PreEnqueue: PreEnqueuePlugin;
  readonly QueueSort: QueueSortPlugin;
  readonly PreFilter: PreFilterPlugin;
  readonly Filter: FilterPlugin;
  readonly PostFilter: PostFilterPlugin;
  readonly PreScore: PreScorePlugin;
  readonly Score: ScorePlugin;
  readonly Reserve: ReservePlugin;
  readonly Permit: PermitPlugin;
  readonly PreBind: PreBindPlugin;
  readonly Bind: BindPlugin;
  readonly PostBind: PostBindPlugin;
}

export const maxScore = 100;

/** The extension points of a scheduling attempt, which configurations call by the names of the methods. */
export const attemptPoints = [
  'preFilter',
  'filter',
  'postFilter',
  'preScore',
  'score',
  'reserve',
  'permit',
  'preBind',
  'bind',
  'postBind',
] as const;

/** The methods by which a plugin takes part. */
export const extensionPoints = ['preEnqueue', 'compare', ...attemptPoints] as const;
