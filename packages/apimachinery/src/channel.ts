/** Messages both ways, until one side closes. In protocols that carry a stream of bytes, message boundaries have no meaning. */
export interface Channel extends Disposable {
  readonly protocol: string;
  /** Messages are UTF-8; over WebSocket they are sent as text. */
  readonly isText?: boolean;
  send(message: Uint8Array): void;
  /** Data that arrived before there was a listener is buffered for it. */
  onMessage(listener: (message: Uint8Array) => void): void;
  /** Called once, also if it has closed before. The code is WebSocket's: 1000 is good order. */
  onClose(listener: (code: number, reason: string) => void): void;
  /** Requests the other side to pause, because its data waits. A side that cannot pause continues. */
  pause?(): void;
  /** Ends the pause. */
  resume?(): void;
}

/** In good order, as WebSocket numbers it. */
export const normalClosure = 1000;

/** An end of a channel whose other end is in this process, too. */
export interface PairedChannel extends Channel {
  /** Closes with a code; disposing it is good order. */
  close(code: number, reason: string): void;
  /** False while the other end applies backpressure. */
  readonly keepsUp: boolean;
  /** Called when `keepsUp` has changed. */
  onPace(listener: (keepsUp: boolean) => void): void;
}

/** Two ends of one channel in this process: what one sends, the other receives. */
export function channelPair(protocol: string): readonly [PairedChannel, PairedChannel] {
  const left = new ChannelEnd(protocol);
  const right = new ChannelEnd(protocol);
  left.join(right);
  right.join(left);
  return [left, right];
}

class ChannelEnd implements PairedChannel {
  readonly protocol: string;
  #peer: ChannelEnd | undefined;
  #waiting: Uint8Array[] = [];
  #listener: ((message: Uint8Array) => void) | undefined;
  #closed: { readonly code: number; readonly reason: string } | undefined;
  #onClose: ((code: number, reason: string) => void) | undefined;
  #onPace: ((keepsUp: boolean) => void) | undefined;
  keepsUp = true;

  constructor(protocol: string) {
    this.protocol = protocol;
  }

  join(peer: ChannelEnd): void {
    this.#peer = peer;
  }

  send(message: Uint8Array): void {
    if (!this.#closed) this.#peer?.hear(message);
  }

  hear(message: Uint8Array): void {
    if (this.#listener) this.#listener(message);
    else this.#waiting.push(message);
  }

  onMessage(listener: (message: Uint8Array) => void): void {
    this.#listener = listener;
    for (const message of this.#waiting.splice(0)) listener(message);
  }

  onClose(listener: (code: number, reason: string) => void): void {
    if (this.#closed) listener(this.#closed.code, this.#closed.reason);
    else this.#onClose = listener;
  }

  onPace(listener: (keepsUp: boolean) => void): void {
    this.#onPace = listener;
  }

  pause(): void {
    this.#peer?.pace(false);
  }

  resume(): void {
    this.#peer?.pace(true);
  }

  pace(keepsUp: boolean): void {
    if (this.keepsUp === keepsUp) return;
    this.keepsUp = keepsUp;
    this.#onPace?.(keepsUp);
  }

  close(code: number, reason: string): void {
    if (this.#closed) return;
    this.#closed = { code, reason };
    this.#onClose?.(code, reason);
    this.#peer?.close(code, reason);
  }

  [Symbol.dispose](): void {
    this.close(normalClosure, '');
  }
}
