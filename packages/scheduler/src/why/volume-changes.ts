import type { Pod } from '@coracle/api';
import { claimNames } from '../plugins/volumes/pod-claims.js';
import { claimChange } from './claim-changes.js';
import type { Situation } from './explain-pod.js';
import { type Change, type Trial, withLabels, without, withSpec } from './trial.js';

/** Changes that give each claim of the pod a volume that the node can reach. */
export function bindingChanges(trial: Trial, { volumes }: Situation): readonly Change[] {
  const all = volumes ? claimNames(trial.pod.pod).flatMap((name) => claimChange(trial, name, volumes) ?? []) : [];
  return [...(all.length > 0 ? [together(all)] : []), ...useOtherVolumes(trial)];
}

function together(changes: readonly Change[]): Change {
  return {
    text: changes.map(({ text }) => text).join(' and '),
    cost: changes.reduce((total, { cost }) => total + cost, 0),
    apply: (trial) => changes.reduce((state, change) => change.apply(state), trial),
  };
}

const zoneLabels = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/** The node would have to be in the zone of the volumes. */
export function zoneChanges(trial: Trial, { volumes }: Situation): readonly Change[] {
  const { pod, node } = trial;
  const labels: Record<string, string> = {};
  const names = new Set<string>();
  for (const { name } of claimNames(pod.pod)) {
    const claim = volumes?.claim(`${pod.namespace}/${name}`);
    const volume = volumes?.volume(claim?.spec?.volumeName ?? '');
    for (const key of zoneLabels) {
      const zones = volume?.metadata.labels?.[key]?.split('__') ?? [];
      if (zones.length === 0 || zones.includes(node.labels[key] ?? '')) continue;
      labels[key] = zones[0] ?? '';
      names.add(volume?.metadata.name ?? '');
    }
  }
  if (names.size === 0) return useOtherVolumes(trial);
  const zones = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return [
    {
      text: `run on a node with ${zones.join(', ')}, where the volume ${[...names].join(', ')} is: ${node.name} has no such label`,
      cost: 3,
      apply: (one) => withLabels(one, labels),
    },
    ...useOtherVolumes(trial),
  ];
}

/** The volumes of a pod that exclude nodes. */
export function useOtherVolumes({ pod }: Trial): readonly Change[] {
  const volumes = (pod.pod.spec?.volumes ?? []).filter(
    ({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim ?? ephemeral,
  );
  if (volumes.length === 0) return [];
  const names = volumes.map(({ name, persistentVolumeClaim }) =>
    persistentVolumeClaim ? `${name} (claim ${persistentVolumeClaim.claimName})` : name,
  );
  const dropped = new Set(volumes.map(({ name }) => name));
  return [
    {
      text: `use other volumes than ${names.join(', ')}: without them the pod would run`,
      cost: 6,
      apply: (trial) => withSpec(trial, (spec) => withoutVolumes(spec, dropped)),
    },
  ];
}

function withoutVolumes(spec: NonNullable<Pod['spec']>, dropped: ReadonlySet<string>): NonNullable<Pod['spec']> {
  const containers = spec.containers.map((container) => ({
    ...container,
    volumeMounts: (container.volumeMounts ?? []).filter(({ name }) => !dropped.has(name)),
  }));
  return { ...spec, containers, volumes: (spec.volumes ?? []).filter(({ name }) => !dropped.has(name)) };
}

/** The pods of the node that have a claim which this pod needs exclusively. */
export function removeSharers({ pod, node }: Trial): readonly Change[] {
  const names = new Set(claimNames(pod.pod).map(({ name }) => name));
  const going = [...node.pods.values()].filter(
    (other) => other.namespace === pod.namespace && claimNames(other.pod).some(({ name }) => names.has(name)),
  );
  if (going.length === 0) return [];
  return [
    {
      text: `remove ${going.map(({ key }) => key).join(', ')}, which has the claim ${[...names].join(', ')}, from the node ${node.name}`,
      cost: 2 + going.length,
      apply: (trial) => without(trial, going),
    },
  ];
}

/** The pods of the node whose volumes count against the limit of a driver. */
export function volumeRoomChanges({ pod, node }: Trial): readonly Change[] {
  const sorted = [...node.pods.values()]
    .filter((other) => other.pod.spec?.volumes?.some((one) => one.persistentVolumeClaim ?? one.csi ?? one.ephemeral))
    .sort((a, b) => a.priority - b.priority);
  const going = sorted.slice(0, pod.pod.spec?.volumes?.length ?? 1);
  if (going.length === 0) return [];
  return [
    {
      text: `remove ${going.map(({ key }) => key).join(', ')}, which have volumes, from the node ${node.name}`,
      cost: 2 + going.length,
      apply: (trial) => without(trial, going),
    },
  ];
}
