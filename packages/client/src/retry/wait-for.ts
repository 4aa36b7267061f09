import { type KubeObject, type ResourceRef, timeout } from '@coracle/apimachinery';
import { type Clock, type Millis, monotonicNow, sleep } from '@coracle/base';
import type { Client } from '../client.js';
import type { WatchSink } from '../resource-client.js';

/** Timeout and interval of polling. */
export interface WaitOptions {
  readonly clock: Clock;
  readonly timeoutMs: Millis;
  readonly intervalMs?: Millis;
  readonly signal?: AbortSignal;
}

/**
 * Calls `condition` at once and then in each interval until it returns a value, and returns that. Throws `Timeout` when
 * time is up, and what `condition` throws at once. Where there is something to watch, watch it instead.
 */
export async function waitFor<T>(
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  { clock, timeoutMs, intervalMs = 100, signal }: WaitOptions,
): Promise<T> {
  const deadline = monotonicNow(clock) + timeoutMs;
  for (;;) {
    const result = await condition();
    if (result !== undefined && result !== false) return result;
    const leftMs = deadline - monotonicNow(clock);
    if (leftMs <= 0) throw timeout('timed out waiting for the condition', 0);
    await sleep(clock, Math.min(intervalMs, leftMs), signal);
  }
}

/** The object, and the condition. */
export interface WaitForObjectOptions<T extends KubeObject> {
  readonly client: Client;
  readonly clock: Clock;
  readonly ref: ResourceRef<T>;
  readonly namespace?: string;
  readonly name: string;
  /** Called with the object, or `undefined` while it does not exist. */
  readonly until: (object: T | undefined) => boolean;
  readonly timeoutMs: Millis;
  readonly signal?: AbortSignal;
}

/** Watches one object until the condition is true, and returns it. Throws `Timeout` after the timeout. */
export async function waitForObject<T extends KubeObject>(options: WaitForObjectOptions<T>): Promise<T | undefined> {
  const { client, clock, ref, namespace, name, until, timeoutMs, signal } = options;
  const deadline = monotonicNow(clock) + timeoutMs;
  const fieldSelector = `metadata.name=${name}`;
  const resource = client.resource(ref, namespace);
  for (;;) {
    const list = await resource.list({ fieldSelector, ...(signal && { signal }) });
    const found = list.items.find(({ metadata }) => metadata.name === name);
    if (until(found)) return found;
    const leftMs = deadline - monotonicNow(clock);
    if (leftMs <= 0) throw timeout(`timed out waiting for ${ref.resource} ${JSON.stringify(name)}`, 0);
    const { resourceVersion = '' } = list.metadata;
    const open = (sink: WatchSink<T>) =>
      resource.openWatch({ fieldSelector, resourceVersion, ...(signal && { signal }) }, sink);
    const seen = await firstMatch(open, { name, until, clock, leftMs });
    if (seen) return seen.object;
    // The watch ended: what happened since is in a new list.
    if (monotonicNow(clock) < deadline) await sleep(clock, Math.min(1_000, deadline - monotonicNow(clock)), signal);
  }
}

interface Match<T> {
  readonly name: string;
  readonly until: (object: T | undefined) => boolean;
  readonly clock: Clock;
  readonly leftMs: Millis;
}

function firstMatch<T extends KubeObject>(
  open: (sink: WatchSink<T>) => Disposable,
  { name, until, clock, leftMs }: Match<T>,
): Promise<{ readonly object: T | undefined } | undefined> {
  return new Promise((resolve) => {
    const finish = (result?: { readonly object: T | undefined }) => {
      watch[Symbol.dispose]();
      timer[Symbol.dispose]();
      resolve(result);
    };
    const watch = open({
      event: (event) => {
        if (event.type === 'ERROR') return finish();
        if (event.type === 'BOOKMARK' || event.object.metadata.name !== name) return;
        const object = event.type === 'DELETED' ? undefined : event.object;
        if (until(object)) finish({ object });
      },
      end: () => finish(),
    });
    const timer = clock.schedule(leftMs, () => finish());
  });
}
