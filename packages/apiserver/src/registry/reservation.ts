/**
 * What was allocated for an object before it was stored. Either `commit` or `release` is called, once; neither, if it is
 * unknown whether the object was stored: what is left then is found by the repair.
 */
export interface Reservation {
  commit(): void | Promise<void>;
  release(): void | Promise<void>;
}
