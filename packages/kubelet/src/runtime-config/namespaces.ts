import type { Pod } from '@coracle/api';
import { NamespaceMode, type NamespaceOption } from '@coracle/cri';

/** Which namespaces a pod's containers have to themselves, share, or take from the node. */
export function namespacesOf({ spec }: Pod, targetId?: string): NamespaceOption {
  const node = (shared: boolean | undefined) => (shared ? NamespaceMode.NODE : NamespaceMode.POD);
  const pid = spec?.hostPID || spec?.shareProcessNamespace ? node(spec.hostPID) : NamespaceMode.CONTAINER;
  const sees = targetId !== undefined && pid === NamespaceMode.CONTAINER;
  return {
    network: node(spec?.hostNetwork),
    ipc: node(spec?.hostIPC),
    pid: sees ? NamespaceMode.TARGET : pid,
    ...(sees && { targetId }),
  };
}
