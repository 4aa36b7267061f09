/** What was taken for an object before it was stored. One of the two is called, once. */
export interface Reservation {
  commit(): void | Promise<void>;
  release(): void | Promise<void>;
}
