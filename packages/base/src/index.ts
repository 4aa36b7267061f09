export { aborted } from './aborted.js';
export { Activity } from './activity.js';
export { addFields } from './add-fields.js';
export { Backoff, type BackoffOptions } from './backoff.js';
export { type Clock, every, type Millis, sleep } from './clock.js';
export { CoarseClock, type CoarseClockOptions } from './coarse-clock.js';
export { concatBytes } from './concat-bytes.js';
export { type Deadline, Deadlines } from './deadlines.js';
export { deepCopy } from './deep-copy.js';
export { deepEqual } from './deep-equal.js';
export { deepFreeze } from './deep-freeze.js';
export { Deferred } from './deferred.js';
export { DisposableStack, disposable } from './disposables.js';
export { fieldsOf } from './fields-of.js';
export { Fifo } from './fifo.js';
export { Heap } from './heap.js';
export { isRecord, type JsonObject, type JsonValue } from './json.js';
export { type LogFields, type Logger, silentLogger } from './logger.js';
export { andThen, type MaybePromise } from './maybe-promise.js';
export { messageOf } from './message-of.js';
export {
  type Counter,
  type Gauge,
  type Histogram,
  type MetricLabels,
  type MetricOptions,
  type Metrics,
  noMetrics,
} from './metrics.js';
export { nextPoll, nextTurn } from './next-turn.js';
export { ownValue } from './own-value.js';
export { Pipe } from './pipe.js';
export { PrometheusMetrics } from './prometheus-metrics.js';
export { type Random, randomFrom, randomInt, randomSuffix, randomUuid, seededRandom } from './random.js';
export { RecentMap } from './recent-map.js';
export { RecordingTracer, type RecordingTracerOptions, type Step } from './recording-tracer.js';
export { SharedTicks } from './shared-ticks.js';
export { type PlatformTimers, timerClock } from './timer-clock.js';
export { noTracer, type StepDetails, type Tracer } from './tracer.js';
export { VirtualClock, type VirtualClockOptions } from './virtual-clock.js';
