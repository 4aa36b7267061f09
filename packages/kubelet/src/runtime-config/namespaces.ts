import type { Pod } from '@coracle/api';
import { type IDMapping, NamespaceMode, type NamespaceOption } from '@coracle/cri';

/** What the namespaces of a container depend on beside its pod. */
export interface NamespaceParts {
  /** Of a container whose processes this one sees: its id. */
  readonly targetId?: string;
  /** The user namespace of a pod that has one. */
  readonly idMapping?: IDMapping;
}

/** Which namespaces a pod's containers have to themselves, share, or take from the node. */
export function namespacesOf({ spec }: Pod, { targetId, idMapping }: NamespaceParts = {}): NamespaceOption {
  const node = (shared: boolean | undefined) => (shared ? NamespaceMode.NODE : NamespaceMode.POD);
  const pid = spec?.hostPID || spec?.shareProcessNamespace ? node(spec.hostPID) : NamespaceMode.CONTAINER;
  const sees = targetId !== undefined && pid === NamespaceMode.CONTAINER;
  return {
    network: node(spec?.hostNetwork),
    ipc: node(spec?.hostIPC),
    pid: sees ? NamespaceMode.TARGET : pid,
    ...(sees && { targetId }),
    ...(idMapping && { usernsOptions: { mode: NamespaceMode.POD, uids: [idMapping], gids: [idMapping] } }),
  };
}
