import type { HealthCheck } from './health-checks.js';

/**
 * What a server does when it starts, under the names by which kube-apiserver's health endpoints report it. A client
 * that checks before one of them has ended sees that the server is not ready; one that fails ends the start.
 */
export class PostStartHooks {
  /** By the name of the check. */
  readonly #ended = new Map<string, boolean>();

  /**
   * The same name is given once only. What kube-apiserver does in several steps may be one here: `others` are the names
   * of the equivalent checks.
   */
  async run<T>(name: string, work: () => Promise<T>, others: readonly string[] = []): Promise<T> {
    const checks = [`poststarthook/${name}`, ...others];
    for (const check of checks) {
      if (this.#ended.has(check)) throw new Error(`there is already a check named ${JSON.stringify(check)}`);
      this.#ended.set(check, false);
    }
    const result = await work();
    for (const check of checks) this.#ended.set(check, true);
    return result;
  }

  get checks(): HealthCheck[] {
    return [...this.#ended.keys()].map((name) => ({
      name,
      check: () => {
        if (!this.#ended.get(name)) throw new Error('not finished');
      },
    }));
  }
}
