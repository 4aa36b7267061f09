import type { ApiResponse } from '@coracle/apimachinery';
import type { Clock, MaybePromise, Millis } from '@coracle/base';
import type { WorkEstimate } from '../flow-control/estimate-work.js';
import type { Queue, QueuedRequest, Rejection, RequestDescription } from '../flow-control/fair-queues.js';
import type { FlowController, FlowSchema } from '../flow-control/flow-controller.js';
import { describeFlow, flowOf, workOf } from '../flow-control/flow-request.js';
import { RetryAfter } from '../flow-control/retry-after.js';
import type { Filter, Handler, RequestContext } from '../handler-chain.js';
import { takesValues } from '../negotiation/respond.js';
import type { ResourceTable } from '../registry/resource-table.js';
import { isLongRunning } from './deadline.js';
import { tooManyRequests } from './in-flight-limits.js';

export interface PriorityAndFairnessOptions {
  readonly controller: FlowController;
  readonly resources: ResourceTable;
  readonly clock: Clock;
}

/** Responses of at least this size keep their seats until they have been sent. */
const largeBytes = 128 * 1024;

/**
 * API priority and fairness: each request is classified and runs when its priority level has seats for it. Watches hold
 * theirs until they have begun. Other long-running requests do not count, and callers in this process are exempt: they
 * limit themselves.
 */
export function priorityAndFairness(options: PriorityAndFairnessOptions): Filter {
  const { controller, clock } = options;
  const retryAfter = new RetryAfter(clock);
  return (next) => (context) => {
    if (takesValues(context) || (isLongRunning(context.info) && context.info.verb !== 'watch')) return next(context);
    const schema = controller.classify(context.user, context.info);
    context.responseHeaders = schema.headers;
    if (schema.level.isExempt) {
      controller.metrics.dispatched.add(1, schema.labels.flow);
      schema.level.queues.totals.dispatched++;
      return next(context);
    }
    const flow = new Flow(context, schema, options);
    const rejection = flow.admit();
    const answer = (reason: Rejection | undefined) =>
      reason === undefined ? flow.run(next) : tooManyRequests(retryAfter.onRejection(schema.level.name));
    if (rejection instanceof Promise) return rejection.then(answer);
    return rejection === undefined ? flow.run(next) : Promise.resolve(answer(rejection));
  };
}

/** One request at one level, and what is measured of it. */
class Flow implements QueuedRequest {
  readonly flow: string;
  readonly work: WorkEstimate;
  arrivedAt: Millis = 0;
  startedAt: Millis = 0;
  queue: Queue | undefined = undefined;
  proceed: QueuedRequest['proceed'] = undefined;
  readonly #schema: FlowSchema;
  readonly #context: RequestContext;
  readonly #controller: FlowController;
  readonly #clock: Clock;

  constructor(context: RequestContext, schema: FlowSchema, options: PriorityAndFairnessOptions) {
    this.#context = context;
    this.#schema = schema;
    this.#controller = options.controller;
    this.#clock = options.clock;
    this.flow = flowOf(context, schema);
    this.work = workOf(context, schema, options.resources);
  }

  get about(): RequestDescription {
    return describeFlow(this.#context, this.#schema);
  }

  signal(): AbortSignal {
    return this.#context.signal;
  }

  /** Resolves with whether it may run, or why not; synchronous if it need not wait. */
  admit(): MaybePromise<Rejection | undefined> {
    const { labels, level } = this.#schema;
    const { metrics } = this.#controller;
    metrics.estimatedSeats.observe(this.work.initialSeats, labels.flow);
    const outcome = level.queues.admit(this);
    if (!(outcome instanceof Promise)) {
      this.#count(outcome);
      return outcome;
    }
    metrics.inQueue.add(1, labels.flow);
    return outcome.then((rejection) => {
      metrics.inQueue.add(-1, labels.flow);
      this.#count(rejection);
      return rejection;
    });
  }

  async run(next: Handler): Promise<ApiResponse> {
    const context = this.#context;
    const { labels, level } = this.#schema;
    const { executing, executingSeats } = this.#controller.metrics;
    executing.add(1, labels.flow);
    executingSeats.add(this.work.initialSeats, labels.flow);
    let isHeld = false;
    try {
      const response = await next(context);
      if (!comesFromOutside(context)) return response;
      const turn = level.queues.answer(this);
      if (turn !== undefined) await turn;
      if (!isLarge(response)) return response;
      isHeld = true;
      return { ...response, onSent: () => this.#finish() };
    } finally {
      if (!isHeld) this.#finish();
    }
  }

  #count(rejection: Rejection | undefined): void {
    const { metrics } = this.#controller;
    const { labels } = this.#schema;
    if (rejection !== undefined) {
      metrics.rejected.add(1, labels.rejected(rejection));
      return;
    }
    metrics.dispatched.add(1, labels.flow);
    metrics.waitSeconds.observe((this.startedAt - this.arrivedAt) / 1000, labels.executed);
  }

  #finish(): void {
    const { labels, level } = this.#schema;
    const { executing, executingSeats, executionSeconds } = this.#controller.metrics;
    const kind = this.#context.info.verb === 'watch' ? labels.watch : labels.regular;
    executing.add(-1, labels.flow);
    executingSeats.add(-this.work.initialSeats, labels.flow);
    executionSeconds.observe((this.#clock.now() - this.startedAt) / 1000, kind);
    level.queues.finish(this);
  }
}

/** Only requests from the network report when their response has been sent. */
function comesFromOutside({ request }: RequestContext): boolean {
  return request.peer?.address !== undefined;
}

function isLarge({ body }: ApiResponse): boolean {
  if (body.kind !== 'bytes') return false;
  let length = 0;
  for (const chunk of body.chunks) {
    length += chunk.length;
    if (length >= largeBytes) return true;
  }
  return false;
}
