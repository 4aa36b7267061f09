import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { adjustHeapGrowth, usualGrowth } from './heap-growth.js';

/** Time of the first check: the start leaves as much garbage as the running process needs memory. */
const firstCheckMs = 1_000;
const checkEveryMs = 5_000;
/** A process with a lower utilization is idle. */
const restingUtilization = 0.1;
/** Above this load the process is busy, and V8 collects by itself. Below it does little, mostly heartbeats. */
const lightUtilization = 0.35;
/** Minimum growth that is worth a collection. */
const leastGrowth = 32 * 1024 * 1024;
/** Nor is less than this part of the heap, while others wait for its end. */
const leastGrowthAtWork = 0.2;
/** Memory that V8 may hold without using it. Under load it returns little of that by itself. */
const mostSpare = 80 * 1024 * 1024;
/** At work a collection keeps requests waiting: no more than one in this time. */
const atWorkMs = 30_000;
/**
 * Heap size from which collections at idle are worthwhile: a small heap is collected in a tenth of a second, sooner
 * under load and more cheaply when idle.
 */
const small = {
  used: 200 * 1024 * 1024,
  spare: 56 * 1024 * 1024,
  atWorkMs: 15_000,
  growth: 12 * 1024 * 1024,
  part: 0.1,
};

/**
 * Collects garbage when the process is idle after work that has left much of it, more rarely while it does little, and
 * sometimes under load when the heap is far larger than needed. V8 itself waits until the heap has grown to twice its
 * live size, which does not happen in an idle process. Disposing the result ends that.
 */
export function collectAtRest(): Disposable {
  let percent = usualGrowth;
  let before = performance.eventLoopUtilization();
  let usedAfterLast = 0;
  let spareAfterLast = 0;
  let wasAtWork = false;
  let collectedAt = performance.now();
  const check = async () => {
    percent = adjustHeapGrowth(percent);
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const sinceLastMs = performance.now() - collectedAt;
    const state = { utilization, used: used(), usedAfterLast, spare: spare(), spareAfterLast, sinceLastMs, wasAtWork };
    if (!isWorthCollecting(state)) return;
    wasAtWork = utilization >= restingUtilization;
    await collect();
    usedAfterLast = used();
    spareAfterLast = spare();
    collectedAt = performance.now();
  };
  const first = setTimeout(check, firstCheckMs).unref();
  const timer = setInterval(check, checkEveryMs).unref();
  return {
    [Symbol.dispose]: () => {
      clearTimeout(first);
      clearInterval(timer);
    },
  };
}

/** Whether the process rests and has grown since its last collection, or holds far more than it needs. */
export function isWorthCollecting(state: {
  readonly utilization: number;
  readonly used: number;
  readonly usedAfterLast: number;
  readonly spare: number;
  readonly spareAfterLast: number;
  readonly sinceLastMs: number;
  /** Whether the last collection was made under load: objects in use then may be garbage when idle. */
  readonly wasAtWork: boolean;
}): boolean {
  const { utilization, used, usedAfterLast, spare, spareAfterLast, sinceLastMs, wasAtWork } = state;
  const growth = used - usedAfterLast;
  if (utilization < restingUtilization) {
    if (wasAtWork) return true;
    // V8 may have collected at the end of the work, which leaves the heap as large as it was.
    if (growth + spare - spareAfterLast >= leastGrowth) return true;
    const least = sinceLastMs < atWorkMs ? leastGrowth : Math.max(small.growth, small.part * usedAfterLast);
    return growth >= least;
  }
  if (used < small.used && spare >= small.spare && sinceLastMs >= small.atWorkMs) return true;
  if (sinceLastMs < atWorkMs) return false;
  if (utilization < lightUtilization && growth >= Math.max(leastGrowth, leastGrowthAtWork * usedAfterLast)) return true;
  return spare >= mostSpare;
}

function used(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

function spare(): number {
  const { used_heap_size, total_heap_size } = getHeapStatistics();
  return total_heap_size - used_heap_size;
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
