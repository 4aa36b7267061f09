import type { Pod } from '@coracle/api';
import type { IDMapping } from '@coracle/cri';
import type { Checkpoints } from './checkpoints.js';

/** Number of user ids in the user namespace of each pod. */
const idsPerPod = 65_536;
/** First user id for pods: lower ones belong to users of the machine. */
const firstSlot = 1;
const mostSlots = 65_535;
const checkpointName = 'user_namespaces_state';

/** Allocates user namespaces to pods: root in such a pod is an unprivileged user on the node. */
export class UserNamespaces {
  readonly #checkpoints: Checkpoints | undefined;
  /** By pod. */
  readonly #slots = new Map<string, number>();

  constructor(checkpoints: Checkpoints | undefined) {
    this.#checkpoints = checkpoints;
  }

  /** Restores the allocations from before a restart. */
  async start(): Promise<void> {
    const text = await this.#checkpoints?.read(checkpointName);
    if (text === undefined) return;
    for (const [uid, slot] of Object.entries(JSON.parse(text) as Record<string, number>)) this.#slots.set(uid, slot);
  }

  /** The user namespace of a pod, if it has one. */
  of({ metadata }: Pod): IDMapping | undefined {
    const slot = this.#slots.get(metadata.uid ?? '');
    return slot === undefined ? undefined : { hostId: slot * idsPerPod, containerId: 0, length: idsPerPod };
  }

  /** Allocates a user namespace for the pod, if it requests one. Throws if there are none left. */
  async allocate(pod: Pod): Promise<IDMapping | undefined> {
    const uid = pod.metadata.uid ?? '';
    if (!wantsUsers(pod) || this.#slots.has(uid)) return this.of(pod);
    const taken = new Set(this.#slots.values());
    let slot = firstSlot;
    while (taken.has(slot)) slot++;
    if (slot > mostSlots) throw new Error('could not find an empty slot to allocate a user namespace');
    this.#slots.set(uid, slot);
    await this.#save();
    return this.of(pod);
  }

  async release(isActive: (podUid: string) => boolean): Promise<void> {
    const gone = [...this.#slots.keys()].filter((uid) => !isActive(uid));
    for (const uid of gone) this.#slots.delete(uid);
    if (gone.length > 0) await this.#save();
  }

  async #save(): Promise<void> {
    await this.#checkpoints?.write(checkpointName, JSON.stringify(Object.fromEntries(this.#slots)));
  }
}

/** Throws if the pod requests a user namespace and the runtime's handler does not support it. */
export function refuseUsers(pod: Pod, handler: string, isSupported: boolean): void {
  if (!wantsUsers(pod) || isSupported) return;
  const who = handler === '' ? 'runtime' : `RuntimeClass handler ${JSON.stringify(handler)}`;
  throw new Error(`can't set \`spec.hostUsers: false\`, ${who} does not support user namespaces`);
}

function wantsUsers({ spec }: Pod): boolean {
  return spec?.hostUsers === false;
}
