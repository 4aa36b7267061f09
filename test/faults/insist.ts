import { isNotFound } from '@coracle/apimachinery';
import { nextTurn, type VirtualClock } from '@coracle/base';
import type { Cluster } from '../../packages/cluster/src/index.js';

const second = 1_000;

/** A request of the test, which must succeed eventually. */
export async function insist<T>(cluster: Cluster, request: () => Promise<T>): Promise<T | undefined> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const answer = request();
    await settleBesideClock(cluster.clock, answer);
    try {
      return await answer;
    } catch (error) {
      // An earlier attempt, whose answer was lost, has deleted it.
      if (isNotFound(error)) return undefined;
      await cluster.clock.advance(second);
    }
  }
  throw new Error('the request did not get through in 50 attempts');
}

/** Lets time pass while a request waits for a cache that has lost the store. It may fail. */
export async function settleBesideClock(
  clock: Pick<VirtualClock, 'advance'>,
  request: Promise<unknown>,
): Promise<void> {
  let isOver = false;
  void request.then(
    () => {
      isOver = true;
    },
    () => {
      isOver = true;
    },
  );
  for (let turns = 0; !isOver; turns++) {
    await nextTurn();
    if (turns % 20 === 19) await clock.advance(500);
  }
}
