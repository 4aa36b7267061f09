import type { Service } from '@coracle/api';
import { conflict } from '@coracle/apimachinery';
import type { Operation, Revision, Store } from '@coracle/store';
import { storageRoot } from '../../storage-prefix.js';
import type { Claims } from './claims.js';
import { PortBitmap } from './port-bitmap.js';
import type { PortRange } from './range.js';
import { decodePorts, encodePorts } from './range-allocation.js';

const key = `${storageRoot}ranges/servicenodeports`;
/** Prefix under which earlier releases of Coracle stored a key for each port. */
const formerPrefix = `${storageRoot}ranges/nodeports/`;
const mostAttempts = 100;

interface Change {
  readonly port: number;
  readonly takes: boolean;
  /** Called with whether the change was made. */
  resolve(done: boolean): void;
  reject(error: unknown): void;
}

/**
 * Allocates node ports. Allocated ports are bits of one value, as in kube-apiserver, with which the store may be
 * shared. Changes that arrive during a write are written together next.
 */
export class PortClaims implements Claims<number> {
  readonly #range: PortRange;
  readonly #store: Store;
  /** The last value read from the store, at `#revision`. */
  #taken: PortBitmap;
  #revision: Revision = 0;
  #waiting: Change[] = [];
  #isWriting = false;

  constructor(range: PortRange, store: Store) {
    this.#range = range;
    this.#store = store;
    this.#taken = new PortBitmap(range);
  }

  isTaken(port: number): boolean {
    return this.#taken.has(port);
  }

  claim(port: number): Promise<boolean> {
    return this.#change(port, true);
  }

  async release(port: number): Promise<void> {
    await this.#change(port, false);
  }

  /** All allocated ports. */
  async list(): Promise<number[]> {
    await this.#refresh();
    return [...this.#taken];
  }

  /** Replaced by the value that is read next. */
  async removeFormerKeys(): Promise<void> {
    const { items } = await this.#store.list(formerPrefix);
    for (let i = 0; i < items.length; i += mostAttempts) {
      const operations = items
        .slice(i, i + mostAttempts)
        .map(({ key: former }): Operation => ({ kind: 'delete', key: former }));
      await this.#store.transact({ compare: [], operations });
    }
  }

  #change(port: number, takes: boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ port, takes, resolve, reject });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    try {
      while (this.#waiting.length > 0) await this.#writeWaiting();
    } finally {
      this.#isWriting = false;
    }
  }

  async #writeWaiting(): Promise<void> {
    const changes = this.#waiting;
    this.#waiting = [];
    try {
      const done = await this.#write(changes);
      for (const [i, change] of changes.entries()) change.resolve(done[i] === true);
    } catch (error) {
      for (const change of changes) change.reject(error);
    }
  }

  /** Reports for each change whether it was made. */
  async #write(changes: readonly Change[]): Promise<boolean[]> {
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const { taken, done } = apply(changes, this.#taken);
      // A port may have been allocated or released on another server since.
      const isSure = attempt > 0 || done.every((one) => one);
      if (isSure && !done.some((one) => one)) return done;
      if (isSure && (await this.#put(taken))) return done;
      await this.#refresh();
    }
    throw conflict(
      { group: '', resource: 'serviceNodePorts' },
      'servicenodeports',
      'the ports are written by others too often',
    );
  }

  async #put(taken: PortBitmap): Promise<boolean> {
    const { succeeded, revision } = await this.#store.transact({
      compare: [{ key, modRevision: this.#revision }],
      operations: [{ kind: 'put', key, value: encodePorts(this.#range, taken) }],
    });
    if (!succeeded) return false;
    this.#taken = taken;
    this.#revision = revision;
    return true;
  }

  async #refresh(): Promise<void> {
    const stored = await this.#store.get(key);
    this.#taken = stored ? decodePorts(this.#range, stored.value) : new PortBitmap(this.#range);
    this.#revision = stored?.modRevision ?? 0;
  }
}

/** Applies the changes one after the other, on a copy. */
function apply(changes: readonly Change[], before: PortBitmap): { taken: PortBitmap; done: boolean[] } {
  const taken = before.copy();
  const done = changes.map(({ port, takes }) => {
    if (taken.has(port) === takes) return false;
    taken.set(port, takes);
    return true;
  });
  return { taken, done };
}

/** Every node port of a service, including its health check port. */
export function portsOf({ spec = {} }: Service): number[] {
  const ports = (spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
  return [...new Set(spec.healthCheckNodePort ? [...ports, spec.healthCheckNodePort] : ports)];
}
