import { readJson } from '@coracle/apimachinery';
import { brokenOff, type EventReader } from './content-codec.js';

/** Cuts a stream of bytes into lines of JSON. A line may be spread over any number of chunks. */
export class JsonLines implements EventReader {
  readonly #decoder = new TextDecoder();
  readonly #onValue: (value: unknown) => void;
  #rest = '';

  constructor(onValue: (value: unknown) => void) {
    this.#onValue = onValue;
  }

  push(chunk: Uint8Array): void {
    const text = this.#rest + this.#decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      if (end > start) this.#onValue(readJson(text.slice(start, end)));
      start = end + 1;
    }
    this.#rest = start === 0 ? text : text.slice(start);
  }

  unfinished(): Error | undefined {
    return this.#rest.trim() === '' ? undefined : brokenOff();
  }
}
