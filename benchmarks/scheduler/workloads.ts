/** Pods of one template. */
export interface PodBatch {
  readonly count: number;
  readonly template: PodTemplate;
  readonly namespace?: string;
}

export type PodTemplate =
  | 'default'
  | 'high-priority-large-cpu'
  | 'low-priority'
  | 'high-priority'
  | 'spreading'
  | 'preferred-affinity'
  | 'required-affinity'
  | 'required-anti-affinity'
  | 'volume'
  | 'device-claim';

/**
 * `recreate`: every second a node, a service and a pod that fits nowhere are created, or deleted again. A template: a
 * pod of it is created five times a second.
 */
export type Churn = 'recreate' | PodTemplate;

/** One of upstream's scheduler_perf workloads: what there is before, and the pods whose scheduling is timed. */
export interface Workload {
  readonly name: string;
  readonly nodes: number;
  /** The pods a second that upstream's gate requires. */
  readonly gate: number;
  /** `one`: all nodes are in one zone. `three`: in three, by turns. */
  readonly zones?: 'one' | 'three';
  readonly before?: PodBatch;
  readonly measured: PodBatch;
  /** What happens beside it. */
  readonly churn?: Churn;
  /** Devices on every node. */
  readonly devices?: number;
  /** The controllers that the workload needs; none unless stated. */
  readonly controllers?: readonly string[];
}

const [sched0, sched1] = ['sched-0', 'sched-1'];

export const workloads: readonly Workload[] = [
  {
    name: 'basic',
    nodes: 5_000,
    gate: 680,
    before: { count: 1_000, template: 'default' },
    measured: { count: 10_000, template: 'default' },
  },
  {
    name: 'topology-spreading',
    nodes: 5_000,
    gate: 460,
    zones: 'three',
    before: { count: 5_000, template: 'default' },
    measured: { count: 5_000, template: 'spreading' },
  },
  {
    name: 'preferred-affinity',
    nodes: 5_000,
    gate: 160,
    before: { count: 5_000, template: 'preferred-affinity', namespace: sched0 },
    measured: { count: 5_000, template: 'preferred-affinity', namespace: sched1 },
  },
  {
    name: 'required-anti-affinity',
    nodes: 5_000,
    gate: 180,
    before: { count: 1_000, template: 'required-anti-affinity', namespace: sched0 },
    measured: { count: 2_000, template: 'required-anti-affinity', namespace: sched1 },
  },
  {
    name: 'pod-affinity',
    nodes: 5_000,
    gate: 70,
    zones: 'one',
    before: { count: 5_000, template: 'required-affinity', namespace: sched0 },
    measured: { count: 5_000, template: 'required-affinity', namespace: sched1 },
  },
  {
    name: 'preemption',
    nodes: 5_000,
    gate: 570,
    before: { count: 20_000, template: 'low-priority' },
    measured: { count: 5_000, template: 'default' },
    churn: 'high-priority',
  },
  {
    name: 'mixed-churn',
    nodes: 5_000,
    gate: 710,
    measured: { count: 10_000, template: 'default' },
    churn: 'recreate',
  },
  {
    name: 'unschedulable',
    nodes: 5_000,
    gate: 590,
    before: { count: 100, template: 'default' },
    measured: { count: 10_000, template: 'default' },
    churn: 'high-priority-large-cpu',
  },
  {
    name: 'volumes',
    nodes: 5_000,
    gate: 220,
    before: { count: 5_000, template: 'volume' },
    measured: { count: 5_000, template: 'volume' },
  },
  {
    name: 'device-claims',
    nodes: 500,
    gate: 60,
    before: { count: 2_500, template: 'device-claim' },
    measured: { count: 2_500, template: 'device-claim' },
    devices: 10,
    controllers: ['resourceclaim-controller'],
  },
];

/** The same workload at another size. */
export function resized(
  workload: Workload,
  { nodes, pods }: { readonly nodes: number; readonly pods: number },
): Workload {
  const { before, measured } = workload;
  const share = nodes / workload.nodes;
  return {
    ...workload,
    nodes,
    ...(before && { before: { ...before, count: Math.ceil(before.count * share) } }),
    measured: { ...measured, count: pods },
  };
}
