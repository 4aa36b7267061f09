export { aborted } from './async/aborted.js';
export { Activity } from './async/activity.js';
export { Deferred } from './async/deferred.js';
export { DisposableStack, disposable } from './async/disposables.js';
export { andThen, type MaybePromise } from './async/maybe-promise.js';
export { nextPoll, nextTurn } from './async/next-turn.js';
export { Pipe } from './async/pipe.js';
export { concatBytes } from './collections/concat-bytes.js';
export { Fifo } from './collections/fifo.js';
export { Heap } from './collections/heap.js';
export { RecentMap } from './collections/recent-map.js';
export { addFields } from './json/add-fields.js';
export { deepCopy } from './json/deep-copy.js';
export { deepEqual } from './json/deep-equal.js';
export { deepFreeze } from './json/deep-freeze.js';
export { fieldsOf } from './json/fields-of.js';
export { isRecord, type JsonObject, type JsonValue } from './json/json.js';
export { ownValue } from './json/own-value.js';
export { sortKeys } from './json/sort-keys.js';
export { messageOf } from './message-of.js';
export { type LogFields, type Logger, silentLogger } from './observability/logger.js';
export {
  type Counter,
  type Gauge,
  type Histogram,
  type MetricLabels,
  type MetricOptions,
  type Metrics,
  noMetrics,
} from './observability/metrics.js';
export { PrometheusMetrics } from './observability/prometheus-metrics.js';
export { RecordingTracer, type RecordingTracerOptions, type Step } from './observability/recording-tracer.js';
export { escapeHelp, escapeLabel, formatSampleValue } from './observability/sample-text.js';
export { noTracer, type StepDetails, type Tracer } from './observability/tracer.js';
export { type Random, randomFrom, randomInt, randomSuffix, randomUuid, seededRandom } from './random.js';
export { Backoff, type BackoffOptions } from './time/backoff.js';
export { type Clock, every, type Millis, monotonicNow, sleep } from './time/clock.js';
export { CoarseClock, type CoarseClockOptions } from './time/coarse-clock.js';
export { type Deadline, Deadlines } from './time/deadlines.js';
export { SharedTicks } from './time/shared-ticks.js';
export { type PlatformTimers, timerClock } from './time/timer-clock.js';
export { VirtualClock, type VirtualClockOptions } from './time/virtual-clock.js';
