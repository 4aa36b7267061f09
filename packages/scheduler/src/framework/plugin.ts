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
   * Declares that `filter` and `score` depend only on the requests and tolerations of the pod, and on the node with its
   * pods: results are reused for equivalent pods while the node is unchanged.
   */
  readonly isNodeLocal?: boolean;
  /**
   * Events that may make a pod schedulable which this plugin rejected; any event if absent. The queueing hint, if there
   * is one, is called with the pod.
   */
  readonly wakesOn?: readonly {
    readonly event: ClusterEvent['kind'];
    /** For events of the kind `other`: the resources that matter; all if absent. */
    readonly resources?: readonly string[];
    /** For events with a subject: the subjects that can help a pod; all if absent. */
    readonly subjects?: (pod: PodInfo) => readonly string[];
    readonly helps?: (event: ClusterEvent, pod: PodInfo) => boolean;
  }[];
}

/** Keeps pods out of the active queue until they may be scheduled. */
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

/** Evaluates the pod and the whole cluster once, before single nodes. Must not await. */
export interface PreFilterPlugin extends Plugin {
  preFilter(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): PreFilterResult;
  /** Updates the state as if `other` was added to or removed from `node`; for preemption. */
  addPod?(state: CycleState, pod: PodInfo, change: { readonly other: PodInfo; readonly node: NodeInfo }): void;
  removePod?(state: CycleState, pod: PodInfo, change: { readonly other: PodInfo; readonly node: NodeInfo }): void;
}

/** Filters nodes. Runs for every candidate node, so it must not await. */
export interface FilterPlugin extends Plugin {
  filter(state: CycleState, pod: PodInfo, node: NodeInfo): Verdict;
}

export interface PostFilterResult {
  /** The nominated node, where the pod may fit after preemption; written to its status. */
  readonly nominatedNode?: string;
  /** Appended to the message that explains why the pod stays pending. */
  readonly message: string;
}

/** Runs when no node fits, to make one fit by preemption. */
export interface PostFilterPlugin extends Plugin {
  postFilter(
    state: CycleState,
    pod: PodInfo,
    failures: ReadonlyMap<string, Verdict>,
  ): Promise<PostFilterResult> | PostFilterResult;
}

/** A pod group that cannot be scheduled, with functions to simulate changes. */
export interface GroupSearch {
  readonly group: schedulingv1alpha2.PodGroup;
  /** The pods that wait for a node. */
  readonly pods: readonly PodInfo[];
  readonly nodes: readonly NodeInfo[];
  /** Removes a pod from its node. The result restores it: the caller must do so for all of them. */
  lift(pod: PodInfo): () => void;
  /** The node of each pod of the group, by uid; `undefined` if the group does not fit. */
  tryOut(): Promise<ReadonlyMap<string, string> | undefined>;
}

export interface GroupPostFilterResult {
  /** The nodes where the pods may fit after preemption, by uid. */
  readonly nominated?: ReadonlyMap<string, string>;
  /** Why preemption does not help. */
  readonly message: string;
}

/** Runs when a pod group that preempts as a whole does not fit. */
export interface GroupPostFilterPlugin extends Plugin {
  postFilterGroup(search: GroupSearch): Promise<GroupPostFilterResult>;
}

/** Prepares scoring. `'skip'` skips the `score` of the plugin. */
export interface PreScorePlugin extends Plugin {
  preScore(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): 'skip' | undefined;
}

/** Scores the nodes that passed the filters. After `normalize` scores are integers from 0 to 100. */
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

/** Allows, rejects or delays the binding of a pod. */
export interface PermitPlugin extends Plugin {
  permit(state: CycleState, pod: PodInfo, node: string): Permission | Promise<Permission>;
}

/** Work that must be done before a pod is bound, such as binding volumes. */
export interface PreBindPlugin extends Plugin {
  /**
   * Whether there is work for the pod: its node is nominated meanwhile, so that other components see it. Always true
   * unless implemented.
   */
  hasPreBindWork?(state: CycleState, pod: PodInfo, node: string): boolean;
  preBind(state: CycleState, pod: PodInfo, node: string): Promise<void>;
}

/** The first plugin that returns `bound` ends the step. */
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

/** The methods of the extension points. */
export const extensionPoints = ['preEnqueue', 'compare', ...attemptPoints] as const;
