import type { EtcdConnection, WatchStream } from './connection.js';
import { type Keys, markerName } from './keys.js';
import { methods } from './messages.js';

/** The first patch releases of each minor version whose progress responses are ordered with events. */
const fixedIn: Readonly<Record<string, number>> = { '3.4': 25, '3.5': 8 };

/** Whether progress requests are reliable. */
export function answersProgressInOrder(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const fixed = fixedIn[`${major}.${minor}`];
  return fixed === undefined ? major > 3 || (major === 3 && minor > 5) : patch >= fixed;
}

/**
 * Requests progress notifications of a watch from etcd.
 *
 * Newer releases support progress requests. Older ones may answer before they have sent what the answer covers, so with them a
 * marker is written below the watched prefix: its event comes in order with all others.
 */
export class ProgressSource {
  readonly #connection: EtcdConnection;
  readonly #keys: Keys;
  #inOrder: Promise<boolean> | undefined;

  constructor(connection: EtcdConnection, keys: Keys) {
    this.#connection = connection;
    this.#keys = keys;
  }

  async currentRevision(): Promise<number> {
    const { header } = await this.#connection.call(methods.range, { key: Uint8Array.of(0), countOnly: true });
    return header?.revision ?? 0;
  }

  async prompt(prefix: string, stream: WatchStream | undefined): Promise<void> {
    if (await this.#answersInOrder()) stream?.write({ progress: {} });
    else await this.#writeMarker(prefix);
  }

  #answersInOrder(): Promise<boolean> {
    this.#inOrder ??= this.#connection
      .call(methods.status, {})
      .then(({ version = '' }) => answersProgressInOrder(version))
      .catch((error: unknown) => {
        this.#inOrder = undefined;
        throw error;
      });
    return this.#inOrder;
  }

  /** Idempotent, so it is retried until it succeeds. */
  async #writeMarker(prefix: string): Promise<void> {
    const key = this.#keys.bytes(prefix + markerName);
    await this.#connection.call(methods.txn, { success: [{ put: { key } }] });
    await this.#connection.call(methods.txn, { success: [{ deleteRange: { key } }] });
  }
}
