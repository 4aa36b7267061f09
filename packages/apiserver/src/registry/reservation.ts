/** What was allocated for an object before it was stored. Either `commit` or `release` is called, once. */
export interface Reservation {
  commit(): void | Promise<void>;
  release(): void | Promise<void>;
}
