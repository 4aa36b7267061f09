import { findCondition } from '@coracle/apimachinery';
import { none, unknown } from '../../columns/cell-text.js';
import { age, name, tablePrinter, text, wide } from '../../columns/table-printer.js';
import type { Node } from '../../generated/types/core-v1.js';

export const nodePrinter = tablePrinter<Node>([
  name,
  text('Status', 'Whether the node is ready, and whether it takes new pods.', statusWords),
  text('Roles', 'The roles that the labels of the node give it.', roles),
  age,
  text('Version', 'The version of the kubelet.', ({ status }) => status?.nodeInfo?.kubeletVersion ?? ''),
  wide(text('Internal-IP', 'The first internal address.', (node) => addressOf(node, 'InternalIP'))),
  wide(text('External-IP', 'The first external address.', (node) => addressOf(node, 'ExternalIP'))),
  wide(text('OS-Image', 'The operating system.', ({ status }) => status?.nodeInfo?.osImage || unknown)),
  wide(text('Kernel-Version', 'The kernel and its architecture.', kernel)),
  wide(
    text(
      'Container-Runtime',
      'The container runtime and its version.',
      ({ status }) => status?.nodeInfo?.containerRuntimeVersion || unknown,
    ),
  ),
]);

function kernel({ status }: Node): string {
  const { kernelVersion, architecture } = status?.nodeInfo ?? {};
  if (!kernelVersion) return unknown;
  return architecture ? `${kernelVersion} (${architecture})` : kernelVersion;
}

function statusWords({ spec, status }: Node): string {
  const ready = findCondition(status?.conditions, 'Ready');
  const word = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

const rolePrefix = 'node-role.kubernetes.io/';
const roleLabel = 'kubernetes.io/role';

function roles({ metadata }: Node): string {
  const found = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(rolePrefix)) found.add(key.slice(rolePrefix.length));
    else if (key === roleLabel) found.add(value);
  }
  found.delete('');
  return [...found].sort().join(',') || none;
}

function addressOf({ status }: Node, type: string): string {
  return status?.addresses?.find((address) => address.type === type)?.address ?? none;
}
