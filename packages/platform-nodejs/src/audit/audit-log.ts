import { type AuditBackend, type AuditEvent, type BatchSink, legacyLine, truncateEvent } from '@coracle/apiserver';
import { RotatingFile, type RotationSettings } from './rotating-file.js';

export interface AuditLogOptions {
  /** `-` for standard output. */
  readonly path: string;
  readonly format: 'json' | 'legacy';
  readonly rotation: RotationSettings;
  /** Maximum size of an event with its objects; larger ones are written without them. */
  readonly maxEventBytes?: number | undefined;
}

interface Output extends AsyncDisposable {
  append(text: string): void;
}

/** Writes events to a file. All events of one turn of the event loop are written at once, and waited for. */
export class AuditLog implements AuditBackend, BatchSink {
  readonly name = 'log';
  readonly keepsOrder = true;
  readonly #options: AuditLogOptions;
  readonly #output: Output;
  /** Lines that are not written yet. */
  #text = '';
  #flushing: Promise<void> | undefined;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#output = options.path === '-' ? standardOutput : new RotatingFile(options.path, options.rotation);
  }

  process(event: string): Promise<void> | undefined {
    const line = this.#lineOf(event);
    if (line === undefined) return undefined;
    this.#text += `${line}\n`;
    this.#flushing ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#flushing = undefined;
        try {
          this.#flush();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.#flushing;
  }

  async send(events: readonly string[]): Promise<void> {
    for (const event of events) {
      const line = this.#lineOf(event);
      if (line !== undefined) this.#text += `${line}\n`;
    }
    this.#flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#flush();
    await this.#output[Symbol.asyncDispose]();
  }

  #lineOf(event: string): string | undefined {
    const { format, maxEventBytes } = this.#options;
    if (format === 'legacy') return legacyLine(JSON.parse(event) as AuditEvent);
    return maxEventBytes === undefined ? event : truncateEvent(event, maxEventBytes);
  }

  #flush(): void {
    if (this.#text === '') return;
    const text = this.#text;
    this.#text = '';
    this.#output.append(text);
  }
}

const standardOutput: Output = {
  append: (text) => void process.stdout.write(text),
  [Symbol.asyncDispose]: async () => {},
};
