import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

const everyMs = 5_000;
/** A process that is busier than this is at work, and V8 collects as it goes. */
const restingUtilization = 0.1;
/** Less is not worth a collection. */
const leastGrowth = 32 * 1024 * 1024;

/**
 * Collects garbage when the process has come to rest after work that has left much of it. V8 waits for the heap to grow
 * to twice of what is in use, which at rest it does not. Disposing the result ends that.
 */
export function collectAtRest(): Disposable {
  let before = performance.eventLoopUtilization();
  let usedAfterLast = 0;
  const timer = setInterval(async () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (!isWorthCollecting({ utilization, used: used(), usedAfterLast })) return;
    await collect();
    usedAfterLast = used();
  }, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Whether the process rests and has grown since its last collection. */
export function isWorthCollecting(state: {
  readonly utilization: number;
  readonly used: number;
  readonly usedAfterLast: number;
}): boolean {
  const { utilization, used, usedAfterLast } = state;
  return utilization < restingUtilization && used - usedAfterLast >= leastGrowth;
}

function used(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

/** By the inspector: a flag that lets programs collect would make V8 refuse the code that it has compiled before. */
async function collect(): Promise<void> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
