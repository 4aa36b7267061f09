import { refs } from '@coracle/api';
import { formatTime, type KubeObject } from '@coracle/apimachinery';
import { groupPriority } from '../discovery/group-documents.js';
import { compareVersions } from '../discovery/sort-versions.js';
import type { WantedObject } from '../registry/wanted-object.js';
import type { Needs } from '../server-parts.js';
import { ensureObjects } from './bootstrap-objects.js';

const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';

/** Registers every group and version that this server serves itself, as available. */
export async function ensureApiServices(parts: Needs<'objects' | 'writer' | 'resources' | 'clock'>): Promise<void> {
  const versions = servedVersions(parts);
  const missing = versions.filter(({ object }) => !parts.objects.get(refs.apiServices, '', object.metadata.name ?? ''));
  await ensureObjects(parts, missing);
  const conditions = [
    {
      type: 'Available',
      status: 'True',
      lastTransitionTime: formatTime(parts.clock.now()),
      reason: 'Local',
      message: 'Local APIServices are always available',
    },
  ];
  await Promise.all(
    missing.map(({ object }) =>
      parts.writer.updateStatus<KubeObject>(refs.apiServices, '', object.metadata.name ?? '', (current) => ({
        ...current,
        status: { conditions },
      })),
    ),
  );
}

function servedVersions({ resources }: Needs<'resources'>): WantedObject[] {
  const byGroup = new Map<string, Set<string>>();
  for (const { info } of resources.all()) {
    byGroup.set(info.group, (byGroup.get(info.group) ?? new Set()).add(info.version));
  }
  return [...byGroup].flatMap(([group, versions]) =>
    [...versions].sort(compareVersions).map((version, index) => apiService(group, version, index)),
  );
}

/** The core group first, then the others in their order; among versions the preferred one has the highest priority. */
function apiService(group: string, version: string, index: number): WantedObject {
  const spec = {
    ...(group !== '' && { group }),
    version,
    groupPriorityMinimum: groupPriority(group),
    versionPriority: Math.max(1, 30 - index),
  };
  const metadata = { name: `${version}.${group}`, labels: { [managedLabel]: 'onstart' } };
  return { ref: refs.apiServices, object: { metadata, spec } as KubeObject };
}
