export { type Refusal, refusalOf } from './admit-pod.js';
export type { PodActions, ProbeVerdicts } from './compute-pod-actions.js';
export { createKubelet, type Kubelet, type KubeletOptions } from './kubelet.js';
export { kubeletVersion, type NodeDescription } from './node-description.js';
export { createPodSource, type PodSink, type PodSource } from './pod-source.js';
export type { ProbeKind, ProbeRequest, ProbeResult, Prober } from './probes/prober.js';
export type { RuntimePod } from './runtime-pod.js';
export type { PodStatusInput } from './status/compute-pod-status.js';
