import { asStatusError, type KubeObject, type ResourceRef, StatusError } from '@coracle/apimachinery';
import { silentLogger } from '@coracle/base';
import { CachedInformer } from '@coracle/client';
import { createWebRandom, webClock } from '@coracle/platform-web';
import { useEffect, useState } from 'react';
import { useRoute } from '../router.js';
import { type Cluster, useCluster } from './cluster.js';
import type { TableState } from './messages.js';

/** Objects of a cluster, in their current or a past state. */
export interface LiveSpec {
  readonly ref: ResourceRef<KubeObject>;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Keeps only the displayed fields, if there are many objects. */
  readonly transform?: (object: KubeObject) => KubeObject;
}

export interface Live<T> {
  readonly items: readonly T[];
  readonly state: TableState;
}

const random = createWebRandom();

/** Follows objects while the component is mounted. Nothing is requested while `spec` is undefined. */
export function useLive<T extends KubeObject>(spec: LiveSpec | undefined): Live<T> {
  const cluster = useCluster();
  const { query } = useRoute();
  const at = query.get('at') ?? undefined;
  const [live, setLive] = useState<Live<T>>({ items: [], state: { at: 'loading' } });
  const id = spec && JSON.stringify([spec, at]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `id` is the text of `spec` and `at`.
  useEffect(() => {
    setLive({ items: [], state: { at: 'loading' } });
    if (!spec) return;
    const stop = new AbortController();
    const set = (next: Live<KubeObject>) => !stop.signal.aborted && setLive(next as Live<T>);
    void (at === undefined ? follow : readPast)({ cluster, spec, at: at ?? '', signal: stop.signal, set });
    return () => stop.abort();
  }, [cluster, id]);
  return live;
}

interface Following {
  readonly cluster: Cluster;
  readonly spec: LiveSpec;
  readonly at: string;
  readonly signal: AbortSignal;
  readonly set: (live: Live<KubeObject>) => void;
}

function selectionOf({ labelSelector, fieldSelector }: LiveSpec) {
  return { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
}

async function readPast({ cluster, spec, at, signal, set }: Following): Promise<void> {
  try {
    const { items } = await cluster.client.resource(spec.ref, spec.namespace).list({
      ...selectionOf(spec),
      resourceVersion: at,
      resourceVersionMatch: 'Exact',
      signal,
    });
    set({ items, state: { at: 'past' } });
  } catch (error) {
    set({ items: [], state: failed(error) });
  }
}

/** All changes of a frame are shown at once. */
async function follow({ cluster, spec, signal, set }: Following): Promise<void> {
  const stop = new AbortController();
  signal.addEventListener('abort', () => stop.abort(), { once: true });
  let state: TableState = { at: 'loading' };
  let waits = false;
  const show = () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => {
      waits = false;
      set({ items: informer.list(), state });
    });
  };
  const informer = new CachedInformer<KubeObject>({
    client: cluster.client.resource(spec.ref, spec.namespace),
    clock: webClock,
    random,
    logger: silentLogger,
    name: spec.ref.resource,
    selection: selectionOf(spec),
    ...(spec.transform && { transform: spec.transform }),
    onState: (next) => {
      if (next.at === 'watching') state = { at: 'live' };
      else if (next.at === 'waiting') {
        state = failed(next.error);
        // A refused request is not retried: the answer would be the same.
        if (state.code === 401 || state.code === 403 || state.code === 404) stop.abort();
      }
      show();
    },
  });
  informer.addHandler(show);
  void informer.synced().then(() => {
    state = { at: 'live' };
    show();
  });
  await informer.run(stop.signal);
}

export function failed(error: unknown): TableState {
  const { status, message } = asStatusError(error);
  return { at: 'failed', message, ...(StatusError.is(error) && { code: status.code }) };
}

/** One object; undefined while it does not exist. */
export function useObject<T extends KubeObject>(
  ref: ResourceRef<KubeObject> | undefined,
  namespace: string | undefined,
  name: string,
): { readonly object: T | undefined; readonly state: TableState } {
  const { items, state } = useLive<T>(ref && { ref, namespace, fieldSelector: `metadata.name=${name}` });
  return { object: items[0], state };
}

/** The outcome of a request; sent again when `key` changes. */
export function useAsked<T>(ask: (signal: AbortSignal) => Promise<T>, key: string): Asked<T> {
  const [answer, setAsked] = useState<Asked<T>>({ at: 'loading' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller decides when to request again.
  useEffect(() => {
    const stop = new AbortController();
    setAsked({ at: 'loading' });
    ask(stop.signal).then(
      (value) => !stop.signal.aborted && setAsked({ at: 'there', value }),
      (error: unknown) => !stop.signal.aborted && setAsked({ at: 'failed', message: asStatusError(error).message }),
    );
    return () => stop.abort();
  }, [key]);
  return answer;
}

export type Asked<T> =
  | { readonly at: 'loading' }
  | { readonly at: 'there'; readonly value: T }
  | { readonly at: 'failed'; readonly message: string };
