import type { Pod } from '@coracle/api';
import { type IDMapping, NamespaceMode, type NamespaceOption } from '@coracle/cri';

/** Inputs besides the pod. */
export interface NamespaceParts {
  /** Id of the container whose process namespace this one shares. */
  readonly targetId?: string;
  /** The user namespace of the pod, if it has one. */
  readonly idMapping?: IDMapping;
}

/** The namespaces of a pod's containers: own, shared in the pod, or those of the node. */
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
