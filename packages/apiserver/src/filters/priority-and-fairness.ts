import type { ApiResponse } from '@coracle/apimachinery';
import type { Clock } from '@coracle/base';
import type { QueuedRequest, Rejection } from '../flow-control/fair-queues.js';
import type { FlowController, FlowSchema } from '../flow-control/flow-controller.js';
import { flowRequest } from '../flow-control/flow-request.js';
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

/** Answers of this size keep their seats until they have been sent. */
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
    const flow = new Flow({ context, schema, ...options });
    const answerTo = (rejection: Rejection | undefined) => {
      if (rejection === undefined) return flow.run(next);
      return Promise.resolve(tooManyRequests(retryAfter.onRejection(schema.level.name)));
    };
    return flow.admit(answerTo);
  };
}

/** One request at one level, and what is measured of it. */
class Flow {
  readonly #request: QueuedRequest;
  readonly #schema: FlowSchema;
  readonly #context: RequestContext;
  readonly #controller: FlowController;
  readonly #clock: Clock;

  constructor(options: PriorityAndFairnessOptions & { readonly context: RequestContext; readonly schema: FlowSchema }) {
    const { context, schema, controller, resources, clock } = options;
    this.#context = context;
    this.#schema = schema;
    this.#controller = controller;
    this.#clock = clock;
    this.#request = flowRequest(context, schema, resources);
  }

  admit(goOn: (rejection: Rejection | undefined) => Promise<ApiResponse>): Promise<ApiResponse> {
    const { labels, level } = this.#schema;
    const { metrics } = this.#controller;
    metrics.estimatedSeats.observe(this.#request.work.initialSeats, labels.flow);
    const outcome = level.queues.admit(this.#request);
    if (!(outcome instanceof Promise)) {
      this.#count(outcome);
      return goOn(outcome);
    }
    metrics.inQueue.add(1, labels.flow);
    return outcome.then((rejection) => {
      metrics.inQueue.add(-1, labels.flow);
      this.#count(rejection);
      return goOn(rejection);
    });
  }

  async run(next: Handler): Promise<ApiResponse> {
    const context = this.#context;
    const { labels, level } = this.#schema;
    const { executing, executingSeats } = this.#controller.metrics;
    executing.add(1, labels.flow);
    executingSeats.add(this.#request.work.initialSeats, labels.flow);
    let isHeld = false;
    try {
      const response = await next(context);
      if (!comesFromOutside(context)) return response;
      await level.queues.answer(this.#request);
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
    const { arrivedAt = 0, startedAt = 0 } = this.#request;
    metrics.dispatched.add(1, labels.flow);
    metrics.waitSeconds.observe((startedAt - arrivedAt) / 1000, labels.executed);
  }

  #finish(): void {
    const { labels, level } = this.#schema;
    const { startedAt = 0, work } = this.#request;
    const kind = this.#context.info.verb === 'watch' ? labels.watch : labels.regular;
    this.#controller.metrics.executing.add(-1, labels.flow);
    this.#controller.metrics.executingSeats.add(-work.initialSeats, labels.flow);
    this.#controller.metrics.executionSeconds.observe((this.#clock.now() - startedAt) / 1000, kind);
    level.queues.finish(this.#request);
  }
}

/** Only the edge reports when an answer has been sent. */
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
