import { disposable, every, type Millis } from '@coracle/base';
import type { ControllerContext } from './controller.js';

export interface Passes {
  readonly periodMs: Millis;
  /** The message for a failed pass. The next pass follows nevertheless. */
  readonly failure: string;
  pass(): Promise<void>;
}

/** Runs a pass at the start and periodically; never two at a time, and not before the informers have synced. */
export function passEvery(context: ControllerContext, { periodMs, failure, pass }: Passes): Disposable {
  const { clock, activity, logger, informers } = context;
  let running = false;
  let stopped = false;
  const run = async () => {
    if (running) return;
    running = true;
    const work = activity.begin();
    try {
      await informers.synced();
      if (!stopped) await pass();
    } catch (error) {
      logger.error(failure, { error });
    } finally {
      running = false;
      work[Symbol.dispose]();
    }
  };
  const timer = every(clock, periodMs, () => void run());
  void run();
  return disposable(() => {
    stopped = true;
    timer[Symbol.dispose]();
  });
}
