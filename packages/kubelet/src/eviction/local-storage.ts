import { containerResources, type Pod, podResources } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';
import { diskUsageOf, type PodUsage } from './pod-usage.js';

const resource = 'ephemeral-storage';

/** A limit of ephemeral storage, for the whole pod or for a part of it. */
export function limitsLocalStorage({ spec }: Pod): boolean {
  const { containers = [], volumes = [] } = spec ?? {};
  return (
    containers.some(({ resources }) => resources?.limits?.[resource] !== undefined) ||
    volumes.some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined)
  );
}

export interface LocalStorageExcess {
  /** Its name in metrics. */
  readonly signal: string;
  /** The message in the pod's status. */
  readonly message: string;
}

/** The limits of a pod, in the order in which they are checked. */
const excesses: Readonly<Record<string, (pod: Pod, usage: PodUsage) => string | undefined>> = {
  'emptydirfs.limit': volumeExcess,
  'ephemeralpodfs.limit': podExcess,
  'ephemeralcontainerfs.limit': containerExcess,
};

/** The first limit of ephemeral storage that the pod exceeds. */
export function localStorageExcess(pod: Pod, usage: PodUsage): LocalStorageExcess | undefined {
  for (const [signal, excessOf] of Object.entries(excesses)) {
    const message = excessOf(pod, usage);
    if (message !== undefined) return { signal, message };
  }
  return undefined;
}

function volumeExcess({ spec }: Pod, { volumes }: PodUsage): string | undefined {
  for (const { name, emptyDir } of spec?.volumes ?? []) {
    const limit = emptyDir?.sizeLimit;
    const used = volumes.get(name)?.bytes ?? 0;
    if (limit !== undefined && parseQuantity(limit).value() > 0 && used > parseQuantity(limit).value())
      return `Usage of EmptyDir volume ${JSON.stringify(name)} exceeds the limit ${JSON.stringify(limit)}. `;
  }
  return undefined;
}

function podExcess({ spec }: Pod, usage: PodUsage): string | undefined {
  const limit = podResources(spec ?? { containers: [] }, 'limits').get(resource);
  if (!limit || diskUsageOf(usage).bytes <= limit.value()) return undefined;
  return `Pod ephemeral local storage usage exceeds the total limit of containers ${limit}. `;
}

function containerExcess({ spec }: Pod, { containers }: PodUsage): string | undefined {
  for (const container of spec?.containers ?? []) {
    const limit = containerResources(container, 'limits').get(resource);
    const used = containers.get(container.name)?.disk.bytes ?? 0;
    if (limit && used > limit.value())
      return `Container ${container.name} exceeded its local ephemeral storage limit ${JSON.stringify(String(limit))}. `;
  }
  return undefined;
}
