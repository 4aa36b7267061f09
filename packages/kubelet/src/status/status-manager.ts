import { type Pod, type PodStatus, refs, schemaOf } from '@coracle/api';
import { createTwoWayMergePatch, isConflict, isNotFound } from '@coracle/apimachinery';
import { type Activity, type Clock, deepEqual, type Logger, type Tracer } from '@coracle/base';
import type { Client } from '@coracle/client';
import { isStaticPod } from '../static-pods/pod-origin.js';

export interface StatusManagerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly activity: Activity;
  /** The mirror pod of a static pod; `undefined` while there is none. */
  readonly mirrorOf?: (pod: Pod) => Pod | undefined;
}

interface Entry {
  /** The pod as the kubelet runs it: for a static pod, not the object in the API. */
  pod: Pod;
  /** The desired status in the API. */
  newStatus: PodStatus | undefined;
  /** The last known status in the API. */
  lastStatus: PodStatus;
  /** The last status that was written. The server may return a different form, which must not be sent again. */
  delivered: PodStatus | undefined;
  /** Whether a request is in progress. */
  writing: boolean;
  /** The status that it sends. */
  sending: PodStatus | undefined;
  /** Whether the pod object is deleted once the status is written. */
  finished: boolean;
  /** Whether the server has accepted the deletion. The object may remain until its finalizers are removed. */
  deleted: boolean;
  retry: Disposable | undefined;
}

const retryMs = 1_000;

/**
 * Writes pod statuses to the API: each only when it differs from the current one, one request at a time for a pod, only
 * the newest is sent next. The deletion of a pod goes through the same queue, so that its last status is written first.
 */
export class StatusManager implements Disposable {
  readonly #options: StatusManagerOptions;
  /** By uid. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: StatusManagerOptions) {
    this.#options = options;
  }

  /** The status that the pod will have once everything is written. */
  statusOf(pod: Pod): PodStatus {
    const entry = this.#entries.get(pod.metadata.uid ?? '');
    return entry?.newStatus ?? entry?.lastStatus ?? pod.status ?? {};
  }

  /** Receives the status in the API. True if it differs from the kubelet's, because another client wrote it. */
  observe(pod: Pod): boolean {
    const entry = this.#entries.get(pod.metadata.uid ?? '');
    if (!entry) return true;
    entry.pod = pod;
    const expected = entry.sending ?? entry.lastStatus;
    if (isSameStatus(pod.status ?? {}, expected)) return false;
    // The response to the current request is newer than what the watch delivers before it.
    if (entry.writing) return true;
    entry.lastStatus = pod.status ?? {};
    entry.delivered = undefined;
    return true;
  }

  /** The mirror pod was created or changed: its status may have to be written. */
  observeMirror(pod: Pod, mirror: Pod): void {
    const entry = this.#entries.get(pod.metadata.uid ?? '');
    if (!entry || entry.writing) return;
    entry.lastStatus = mirror.status ?? {};
    entry.delivered = undefined;
    this.#write(entry);
  }

  set(pod: Pod, status: PodStatus): void {
    const entry = this.#entryOf(pod);
    entry.newStatus = status;
    this.#write(entry);
  }

  /** All containers of a pod that is being deleted have stopped: its object is deleted once `status` is written. */
  finish(pod: Pod, status: PodStatus): void {
    const entry = this.#entryOf(pod);
    entry.newStatus = status;
    entry.finished = !entry.deleted;
    this.#write(entry);
  }

  forget(uid: string): void {
    this.#entries.get(uid)?.retry?.[Symbol.dispose]();
    this.#entries.delete(uid);
  }

  [Symbol.dispose](): void {
    for (const uid of [...this.#entries.keys()]) this.forget(uid);
  }

  #entryOf(pod: Pod): Entry {
    const uid = pod.metadata.uid ?? '';
    let entry = this.#entries.get(uid);
    if (!entry) {
      entry = {
        pod,
        newStatus: undefined,
        lastStatus: pod.status ?? {},
        delivered: undefined,
        writing: false,
        sending: undefined,
        finished: false,
        deleted: false,
        retry: undefined,
      };
      this.#entries.set(uid, entry);
    }
    entry.pod = pod;
    return entry;
  }

  #write(entry: Entry): void {
    if (entry.writing || entry.retry) return;
    const written = isWritten(entry);
    if ((written && !entry.finished) || !this.#shownOf(entry.pod)) return;
    entry.writing = true;
    entry.sending = written ? undefined : entry.newStatus;
    void this.#send(entry);
  }

  /** The pod object in the API. */
  #shownOf(pod: Pod): Pod | undefined {
    return isStaticPod(pod) ? this.#options.mirrorOf?.(pod) : pod;
  }

  async #send(entry: Entry): Promise<void> {
    const work = this.#options.activity.begin();
    try {
      if (entry.sending) await this.#patch(entry, entry.sending);
      if (entry.finished && isWritten(entry) && !isStaticPod(entry.pod)) await this.#delete(entry);
    } catch (error) {
      this.#failed(entry, error);
    } finally {
      entry.writing = false;
      entry.sending = undefined;
      work[Symbol.dispose]();
    }
    if (this.#isCurrent(entry)) this.#write(entry);
  }

  async #patch(entry: Entry, status: PodStatus): Promise<void> {
    const { client, tracer } = this.#options;
    const { name = '', namespace = '', uid = '' } = (this.#shownOf(entry.pod) ?? entry.pod).metadata;
    const changes = createTwoWayMergePatch({ status: entry.lastStatus }, { status }, podSchema);
    const patch = { metadata: { uid }, ...changes };
    tracer.step('kubelet.status', `pods/${namespace}/${name}`, { phase: status.phase ?? '' });
    const answer = await client
      .resource(refs.pods, namespace)
      .patch(name, patch, { type: 'strategic', subresource: 'status' });
    entry.lastStatus = answer.status ?? {};
    entry.delivered = status;
  }

  async #delete(entry: Entry): Promise<void> {
    const { name = '', namespace = '', uid = '' } = entry.pod.metadata;
    this.#options.tracer.step('kubelet.delete', `pods/${namespace}/${name}`);
    await this.#options.client
      .resource(refs.pods, namespace)
      .delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
    entry.finished = false;
    entry.deleted = true;
  }

  /**
   * If the pod was deleted, or replaced by one of the same name, there is no status to write. Any other failure is
   * retried.
   */
  #failed(entry: Entry, error: unknown): void {
    const { name, namespace, uid = '' } = entry.pod.metadata;
    if (isNotFound(error) || isConflict(error)) {
      // A static pod keeps running without its mirror pod: a new mirror pod is created.
      if (!isStaticPod(entry.pod)) this.forget(uid);
      return;
    }
    this.#options.logger.error('The status of a pod could not be written', { pod: `${namespace}/${name}`, error });
    if (!this.#isCurrent(entry)) return;
    entry.retry = this.#options.clock.schedule(retryMs, () => {
      entry.retry = undefined;
      this.#write(entry);
    });
  }

  #isCurrent(entry: Entry): boolean {
    return this.#entries.get(entry.pod.metadata.uid ?? '') === entry;
  }
}

/** Whether the API has the desired status, or the form that the server made of it. */
function isWritten({ newStatus, lastStatus, delivered }: Entry): boolean {
  return (
    newStatus === undefined || (delivered && isSameStatus(newStatus, delivered)) || isSameStatus(newStatus, lastStatus)
  );
}

function isSameStatus(a: PodStatus, b: PodStatus): boolean {
  return a === b || deepEqual(withoutNulls(a), withoutNulls(b));
}

/** The API returns `lastProbeTime: null` in each condition, whatever was sent. */
function withoutNulls({ conditions = [], ...status }: PodStatus): object {
  return { ...status, conditions: conditions.map(({ lastProbeTime: _, ...condition }) => condition) };
}

const podSchema = schemaOf('core-v1/Pod');
