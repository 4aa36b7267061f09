import type { PodHandler } from './pod-handler.js';

/** The functions that serve ports of simulated pods, by the pods' uids. */
export class PodServers {
  readonly #handlers = new Map<string, PodHandler>();

  add(podUid: string, port: number, handler: PodHandler): Disposable {
    const key = `${podUid}:${port}`;
    this.#handlers.set(key, handler);
    return { [Symbol.dispose]: () => void (this.#handlers.get(key) === handler && this.#handlers.delete(key)) };
  }

  get(podUid: string | undefined, port: number): PodHandler | undefined {
    return this.#handlers.get(`${podUid}:${port}`);
  }
}
