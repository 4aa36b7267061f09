import type { Job } from '@coracle/api';
import type { ObjectKey } from '@coracle/apimachinery';
import type { ControllerContext } from '../controller.js';
import type { Expectations } from '../expectations.js';
import type { OwnWrites } from '../own-writes.js';
import type { JobMetrics } from './job-metrics.js';
import type { FailureStreaks } from './pod-backoff.js';

/** State of the controller besides its caches. */
export interface JobWork {
  readonly context: ControllerContext;
  readonly expectations: Expectations;
  readonly streaks: FailureStreaks;
  readonly writes: OwnWrites<Job>;
  /** By job: the pods whose finalizer is removed, until the cache shows it. */
  readonly released: Map<ObjectKey, Set<string>>;
  readonly metrics: JobMetrics;
}

/** One sync of one job. */
export interface JobPass {
  readonly key: ObjectKey;
  readonly work: JobWork;
}
