import type { Pod } from '@coracle/api';
import { type Change, type Trial, without, withSpec } from './trial.js';

/** The volumes of a pod that keep it from nodes: it would run there without them. */
export function volumeChanges({ pod }: Trial): readonly Change[] {
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
      cost: 3,
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
