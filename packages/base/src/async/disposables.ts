/**
 * Disposes entries in reverse order. (`AsyncDisposableStack` is not in Node 20.)
 *
 * Register an object immediately after its creation. Every entry is disposed even when one fails; the first failure is
 * thrown at the end.
 */
export class DisposableStack implements AsyncDisposable {
  /** Disposables, or functions that dispose. */
  #entries: (Disposable | AsyncDisposable | (() => void | Promise<void>))[] = [];

  use<T extends Disposable | AsyncDisposable>(resource: T): T {
    this.#entries.push(resource);
    return resource;
  }

  defer(end: () => void | Promise<void>): void {
    this.#entries.push(end);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = [];
    for (let entry = this.#entries.pop(); entry; entry = this.#entries.pop()) {
      try {
        // A resource may be a function too: it is disposed, not called.
        if (Symbol.asyncDispose in entry) await entry[Symbol.asyncDispose]();
        else if (Symbol.dispose in entry) entry[Symbol.dispose]();
        else await entry();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Something to dispose, from the function that does it. Disposing it twice does it once. */
export function disposable(end: () => void): Disposable {
  let ended = false;
  return {
    [Symbol.dispose]: () => {
      if (ended) return;
      ended = true;
      end();
    },
  };
}
