import type { Pod } from '@coracle/api';
import type { GroupOwnership } from './volume-host.js';

/** The group of the pod's files, if the pod has one. */
export function ownershipOf({ spec }: Pod): { readonly ownership?: GroupOwnership } {
  const { fsGroup, fsGroupChangePolicy } = spec?.securityContext ?? {};
  if (fsGroup === undefined) return {};
  const changePolicy = fsGroupChangePolicy === 'OnRootMismatch' ? 'OnRootMismatch' : 'Always';
  return { ownership: { fsGroup, changePolicy } };
}

/** The user of all containers of the pod, if they have the same. */
export function commonUser({ spec }: Pod): number | undefined {
  const { containers = [], initContainers = [], securityContext = {} } = spec ?? {};
  const users = [...containers, ...initContainers].map(
    (one) => one.securityContext?.runAsUser ?? securityContext.runAsUser,
  );
  return new Set(users).size === 1 ? users[0] : undefined;
}
