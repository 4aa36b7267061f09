import { formatMicroTime } from '@coracle/apimachinery';
import { concatBytes, Deferred } from '@coracle/base';
import type { ContainerStatus } from '@coracle/cri';
import type { LogFile, LogSource } from '@coracle/kubelet';
import type { LogLine } from './container-log.js';
import type { SimulatedContainer } from './simulated-container.js';

/** The logs of simulated containers, in the format that runtimes write to disk. */
export function simulatedLogs(containerOf: (id: string) => SimulatedContainer | undefined): LogSource {
  return {
    open: async ({ id = '' }: ContainerStatus) => {
      const container = containerOf(id);
      return container && new SimulatedLogFile(container);
    },
  };
}

const encoder = new TextEncoder();

/** `2026-01-01T00:00:00.123456000Z stdout F text`; `P` where the line has no end. */
function encode({ at, stream, text, partial }: LogLine): Uint8Array {
  return encoder.encode(`${formatMicroTime(at).replace(/Z$/, '000Z')} ${stream} ${partial ? 'P' : 'F'} ${text}\n`);
}

/** The log at the time it was opened, and later output. */
class SimulatedLogFile implements LogFile {
  readonly #container: SimulatedContainer;
  #bytes: Uint8Array;
  #more = new Deferred<void>();

  constructor(container: SimulatedContainer) {
    this.#container = container;
    this.#bytes = concatBytes(container.log.lines.map(encode));
    container.log.readers.add(this.#append);
    container.onExit.add(this.#tell);
  }

  async size(): Promise<number> {
    return this.#bytes.length;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    return this.#bytes.subarray(offset, offset + length);
  }

  async changed(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    signal.addEventListener('abort', this.#tell, { once: true });
    await this.#more.promise;
    signal.removeEventListener('abort', this.#tell);
    this.#more = new Deferred();
  }

  async successor(): Promise<undefined> {
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#container.log.readers.delete(this.#append);
    this.#container.onExit.delete(this.#tell);
  }

  readonly #append = (line: LogLine): void => {
    this.#bytes = concatBytes([this.#bytes, encode(line)]);
    this.#tell();
  };

  readonly #tell = (): void => this.#more.resolve();
}
