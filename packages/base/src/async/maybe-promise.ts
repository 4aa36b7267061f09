/** A value that is there at once, or later. Most are there at once, and cost no turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with the value: at once if it is there, or when it arrives. */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
