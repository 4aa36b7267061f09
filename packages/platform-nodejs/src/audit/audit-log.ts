import { type AuditBackend, type AuditEvent, type BatchSink, encodeTruncated, legacyLine } from '@coracle/apiserver';
import { RotatingFile, type RotationSettings } from './rotating-file.js';

export interface AuditLogOptions {
  /** `-` for standard output. */
  readonly path: string;
  readonly format: 'json' | 'legacy';
  readonly rotation: RotationSettings;
  /** Events that are larger lose their objects. */
  readonly maxEventBytes?: number | undefined;
}

interface Output extends AsyncDisposable {
  append(text: string): void;
}

/** Writes events to a file. All events of one turn of the event loop are written at once, and waited for. */
export class AuditLog implements AuditBackend, BatchSink {
  readonly name = 'log';
  readonly #options: AuditLogOptions;
  readonly #output: Output;
  #lines: string[] = [];
  #flushing: Promise<void> | undefined;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#output = options.path === '-' ? standardOutput : new RotatingFile(options.path, options.rotation);
  }

  process(event: AuditEvent): Promise<void> | undefined {
    const line = this.#lineOf(event);
    if (line === undefined) return undefined;
    this.#lines.push(line);
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

  async send(events: readonly AuditEvent[]): Promise<void> {
    for (const event of events) {
      const line = this.#lineOf(event);
      if (line !== undefined) this.#lines.push(line);
    }
    this.#flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#flush();
    await this.#output[Symbol.asyncDispose]();
  }

  #lineOf(event: AuditEvent): string | undefined {
    const { format, maxEventBytes } = this.#options;
    if (format === 'legacy') return legacyLine(event);
    return maxEventBytes === undefined ? JSON.stringify(event) : encodeTruncated(event, maxEventBytes);
  }

  #flush(): void {
    if (this.#lines.length === 0) return;
    const text = `${this.#lines.join('\n')}\n`;
    this.#lines = [];
    this.#output.append(text);
  }
}

const standardOutput: Output = {
  append: (text) => void process.stdout.write(text),
  [Symbol.asyncDispose]: async () => {},
};
