import type { KeyValue, Operation, Store, StoreEvent, WatchListener } from '@coracle/store';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

export function textOf(value: Uint8Array): string {
  return decoder.decode(value);
}

export function put(key: string, value: string, lease?: number): Operation {
  return { kind: 'put', key, value: bytesOf(value), ...(lease !== undefined && { lease }) };
}

export function del(key: string): Operation {
  return { kind: 'delete', key };
}

/** Writes without comparing; returns the revision. */
export async function write(store: Store, ...operations: Operation[]): Promise<number> {
  const { revision } = await store.transact({ compare: [], operations });
  return revision;
}

/** `key=value`, for comparison in one line. */
export function shown(item: KeyValue | undefined): string | undefined {
  return item && `${item.key}=${textOf(item.value)}`;
}

/** `+key=value` for a put, `-key` for a deletion. */
export function shownEvent(event: StoreEvent): string {
  return event.type === 'put' ? `+${shown(event.keyValue)}` : `-${event.keyValue.key}`;
}

/** The code of the StoreError that a call fails with; anything else it does is shown as it is. */
export async function codeOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
}

/** Records the events of a watch, and can be awaited. */
export class Recorder implements WatchListener {
  readonly events: StoreEvent[] = [];
  readonly progress: number[] = [];
  readonly errors: Error[] = [];
  /** The revision that came with each call. */
  readonly revisions: number[] = [];
  #waiting: (() => void)[] = [];

  get shown(): string[] {
    return this.events.map(shownEvent);
  }

  onEvents(events: readonly StoreEvent[], revision: number): void {
    this.events.push(...events);
    this.revisions.push(revision);
    this.#wake();
  }

  onProgress(revision: number): void {
    this.progress.push(revision);
    this.#wake();
  }

  onError(error: Error): void {
    this.errors.push(error);
    this.#wake();
  }

  /** Resolves when the condition holds. The test's own timeout ends one that never does. */
  async until(condition: (recorder: this) => boolean): Promise<void> {
    while (!condition(this)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async untilEvents(count: number): Promise<string[]> {
    await this.until(() => this.events.length >= count);
    return this.shown;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
