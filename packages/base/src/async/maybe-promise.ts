/** A value, or a promise of one. Most are available at once, and cost no turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with the value: synchronously if it is available, or when it arrives. */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
