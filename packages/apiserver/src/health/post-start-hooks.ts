import type { HealthCheck } from './health-checks.js';

/**
 * The steps of the start of a server, under the names of kube-apiserver's health checks. The server is not ready until
 * all of them have ended; one that fails ends the start.
 */
export class PostStartHooks {
  /** By the name of the check. */
  readonly #ended = new Map<string, boolean>();

  /**
   * Each name may be used once. One step here may correspond to several of kube-apiserver: `others` are the names of
   * their checks.
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
