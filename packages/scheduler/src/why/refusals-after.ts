import { podInfoOf } from '../cache/pod-info.js';
import { openCycle } from '../scheduling-cycle.js';
import { type PluginRefusal, refusalsOf, type Situation } from './explain-pod.js';
import type { Trial } from './trial.js';

/** The plugins' rejections of the node with the changes made; none if the pod would run there. */
export function refusalsAfter(situation: Situation, trial: Trial): readonly PluginRefusal[] {
  const { nodes, profile, volumes, devices } = situation;
  const { pod, node } = trial;
  const changed = nodes.map((one) => (one.name === node.name ? node : one));
  const look = () => {
    const cycle = openCycle(podInfoOf(pod.pod), { profile, nodes: changed, startAt: 0 });
    if (cycle.kind === 'open') return refusalsOf(cycle, node);
    const { refusedBy, preFilterReason = '' } = cycle.failure;
    return [...refusedBy].map((plugin) => ({ plugin, reasons: [preFilterReason], isResolvable: false }));
  };
  const withVolumes = () => (volumes && trial.volumes ? volumes.during(trial.volumes, look) : look());
  return devices && trial.devices ? devices.during(trial.devices, withVolumes) : withVolumes();
}
