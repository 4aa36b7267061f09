import { type Node, type Pod, refs } from '@coracle/api';
import { isAlreadyExists, isNotFound } from '@coracle/apimachinery';
import type { Logger } from '@coracle/base';
import type { Client } from '@coracle/client';
import { hashAnnotation, mirrorAnnotation } from './pod-origin.js';

export interface MirrorPodsOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly logger: Logger;
  readonly node: () => Node | undefined;
}

/** Creates mirror pods, which show static pods in the API. They cannot be controlled there. */
export class MirrorPods {
  readonly #options: MirrorPodsOptions;
  /** Mirror pods in the API, by namespace and name. */
  readonly #mirrors = new Map<string, Pod>();

  constructor(options: MirrorPodsOptions) {
    this.#options = options;
  }

  /** The mirror pod of a static pod. */
  of(pod: Pod): Pod | undefined {
    const mirror = this.#mirrors.get(keyOf(pod));
    return mirror && isMirrorOf(mirror, pod) ? mirror : undefined;
  }

  observe(mirror: Pod): void {
    this.#mirrors.set(keyOf(mirror), mirror);
  }

  forget(mirror: Pod): void {
    if (this.#mirrors.get(keyOf(mirror))?.metadata.uid === mirror.metadata.uid) this.#mirrors.delete(keyOf(mirror));
  }

  /** Makes the mirror pod equal to the static pod. Failures are logged: the pod runs without it. */
  async reconcile(pod: Pod): Promise<void> {
    const entry = this.#mirrors.get(keyOf(pod));
    try {
      if (entry && !entry.metadata.deletionTimestamp && isMirrorOf(entry, pod)) return;
      if (entry) await this.#delete(entry);
      await this.#create(pod);
    } catch (error) {
      this.#options.logger.error('Failed to create the mirror pod of a static pod', { pod: keyOf(pod), error });
    }
  }

  /** Deletes mirror pods of static pods that the node does not have. */
  async removeOrphans(isWanted: (mirror: Pod) => boolean): Promise<void> {
    for (const mirror of [...this.#mirrors.values()]) {
      if (isWanted(mirror)) continue;
      await this.#delete(mirror).catch((error) =>
        this.#options.logger.error('A mirror pod could not be deleted', { pod: keyOf(mirror), error }),
      );
    }
  }

  async #create(pod: Pod): Promise<void> {
    const { client, nodeName, node } = this.#options;
    const owner = node();
    const nodeUid = owner?.metadata.uid;
    if (!nodeUid || owner.metadata.deletionTimestamp) return;
    const { uid: _uid, annotations = {}, ...metadata } = pod.metadata;
    const { status: _status, ...rest } = pod;
    const mirror: Pod = {
      ...rest,
      metadata: {
        ...metadata,
        annotations: { ...annotations, [mirrorAnnotation]: annotations[hashAnnotation] ?? '' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeUid, controller: true }],
      },
    };
    try {
      this.observe(await client.resource(refs.pods, metadata.namespace).create(mirror));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #delete(mirror: Pod): Promise<void> {
    const { name = '', namespace, uid } = mirror.metadata;
    const options = { gracePeriodSeconds: 0, ...(uid && { preconditions: { uid } }) };
    try {
      await this.#options.client.resource(refs.pods, namespace).delete(name, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.forget(mirror);
  }
}

function isMirrorOf(mirror: Pod, { metadata }: Pod): boolean {
  return mirror.metadata.annotations?.[mirrorAnnotation] === metadata.annotations?.[hashAnnotation];
}

function keyOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
