import { readFile } from 'node:fs/promises';
import type { Logger } from '@coracle/base';

export interface ReloadOptions {
  readonly logger: Logger;
  readonly periodMs?: number;
}

const usualPeriodMs = 2_000;

/**
 * Reads a file periodically and passes it on when it has changed. An invalid text or an unreadable file changes
 * nothing: the last valid text stays until the file is valid again.
 */
export class ReloadedFile implements Disposable {
  readonly #path: string;
  readonly #apply: (text: string) => void | Promise<void>;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #text: string;

  constructor(
    path: string,
    current: string,
    {
      apply,
      logger,
      periodMs = usualPeriodMs,
    }: ReloadOptions & { readonly apply: (text: string) => void | Promise<void> },
  ) {
    this.#path = path;
    this.#text = current;
    this.#apply = apply;
    this.#logger = logger;
    this.#timer = setInterval(() => void this.check(), periodMs).unref();
  }

  async check(): Promise<void> {
    try {
      const text = await readFile(this.#path, 'utf8');
      if (text === this.#text) return;
      this.#text = text;
      await this.#apply(text);
      this.#logger.info('file reloaded', { file: this.#path });
    } catch (error) {
      this.#logger.error('failed to reload a file; its previous content stays in use', {
        file: this.#path,
        error,
      });
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
