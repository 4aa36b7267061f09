import type { KeyValue, StoreEvent } from '@coracle/store';
import type { WireEvent, WireKeyValue } from './messages.js';

/**
 * Written below a watched prefix, and deleted at once, to detect that a watch has delivered all earlier writes. It is
 * hidden from users of the store.
 */
export const markerName = '~coracle-progress';

const noBytes = new Uint8Array(0);

/** Prefix of the keys of all objects in a store. */
const usualRoot = '/registry/';

/**
 * Maps the keys of a store to those of etcd, which all begin with the store's prefix. The objects of a cluster may have
 * another prefix in etcd than in the store: `root`.
 */
export class Keys {
  readonly #prefix: string;
  readonly #root: string;

  constructor(prefix: string, root?: string) {
    this.#prefix = prefix;
    this.#root = root === undefined ? usualRoot : rootBelow(root);
  }

  bytes(key: string): Uint8Array {
    return Buffer.from(this.#prefix + moved(key, usualRoot, this.#root));
  }

  /** All keys that begin with `prefix` and are not before `startKey`. */
  range(prefix: string, startKey = prefix): { readonly key: Uint8Array; readonly rangeEnd: Uint8Array } {
    const key = this.bytes(startKey > prefix ? startKey : prefix);
    // Zero bytes stand for the whole of etcd; 0xff is in no UTF-8 text and so sorts behind them all.
    const full = this.bytes(prefix);
    return { key: key.length > 0 ? key : Uint8Array.of(0), rangeEnd: Uint8Array.from([...full, 0xff]) };
  }

  keyValue(wire: WireKeyValue): KeyValue {
    return {
      key: this.#text(wire.key),
      // A copy: the received bytes are a part of a whole response, and would keep all of it in memory.
      value: wire.value ? new Uint8Array(wire.value) : noBytes,
      createRevision: wire.createRevision ?? 0,
      modRevision: wire.modRevision ?? 0,
      version: wire.version ?? 0,
      lease: wire.lease ?? 0,
    };
  }

  event({ type, keyValue = {} }: WireEvent): StoreEvent {
    return {
      type: type === 1 ? 'delete' : 'put',
      keyValue: this.keyValue(keyValue),
    };
  }

  #text(bytes: Uint8Array | undefined): string {
    return bytes ? moved(Buffer.from(bytes).toString().slice(this.#prefix.length), this.#root, usualRoot) : '';
  }
}

/** As kube-apiserver reads its `--etcd-prefix`: from the root, with or without a leading slash, and without empty names. */
function rootBelow(prefix: string): string {
  const names = prefix.split('/').filter((name) => name !== '');
  return names.length === 0 ? '/' : `/${names.join('/')}/`;
}

function moved(key: string, from: string, to: string): string {
  return from !== to && key.startsWith(from) ? to + key.slice(from.length) : key;
}

export function isMarker(key: string): boolean {
  return key.endsWith(markerName);
}
