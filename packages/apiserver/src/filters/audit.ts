import { type ApiResponse, StatusError } from '@coracle/apimachinery';
import type { Clock, Counter, Logger, MetricLabels, Metrics } from '@coracle/base';
import type { AuditBackend, AuditLevel, AuditStage } from '../audit/audit-event.js';
import { type AuditPolicy, auditDecider } from '../audit/audit-policy.js';
import { AuditRecord } from '../audit/audit-record.js';
import { WatchedBackend } from '../audit/watched-backend.js';
import { withEnd } from '../channel-end.js';
import type { Filter, Handler, RequestContext } from '../handler-chain.js';
import type { UserInfo } from '../user-info.js';
import { isLongRunning } from './deadline.js';

export interface AuditOptions {
  readonly policy: AuditPolicy;
  readonly backends: readonly AuditBackend[];
  /** A request whose first event cannot be written is rejected: `blocking-strict`. */
  readonly isStrict?: boolean;
}

export interface AuditDependencies {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

const levelLabels: Readonly<Record<AuditLevel, MetricLabels>> = {
  None: { level: 'None' },
  Metadata: { level: 'Metadata' },
  Request: { level: 'Request' },
  RequestResponse: { level: 'RequestResponse' },
};

/** Writes the audit events of requests, as the policy selects them. */
export class Auditor {
  readonly #clock: Clock;
  readonly #backends: readonly WatchedBackend[];
  readonly #isStrict: boolean;
  /** True if all backends keep the order of events, and none rejects requests whose first event cannot be written. */
  readonly #readsGoOn: boolean;
  readonly #decide: ReturnType<typeof auditDecider>;
  readonly #events: Counter;
  readonly #levels: Counter;

  constructor({ policy, backends, isStrict = false }: AuditOptions, { clock, metrics, logger }: AuditDependencies) {
    this.#clock = clock;
    this.#isStrict = isStrict;
    this.#readsGoOn = !isStrict && backends.every(({ keepsOrder }) => keepsOrder === true);
    this.#decide = auditDecider(policy);
    this.#events = metrics.counter({ name: 'apiserver_audit_event_total', help: 'Audit events that were made.' });
    this.#levels = metrics.counter({
      name: 'apiserver_audit_level_total',
      help: 'Requests by audit level.',
      labels: ['level'],
    });
    const errors = metrics.counter({
      name: 'apiserver_audit_error_total',
      help: 'Audit events that a backend failed to write.',
      labels: ['plugin'],
    });
    this.#backends = backends.map((backend) => new WatchedBackend(backend, errors, logger));
  }

  /** Runs after authentication. */
  readonly filter: Filter = (next) => (context) => {
    const record = this.#begin(context);
    if (!record) return next(context);
    const received = this.#write(record, 'RequestReceived');
    if (received === undefined || (this.#readsGoOn && isRead(context))) return this.#serve(context, record, next);
    return received.then((failure) => {
      if (failure !== undefined && this.#isStrict) throw failure;
      return this.#serve(context, record, next);
    });
  };

  /** Runs before authentication, whose rejections do not reach the other filter. */
  readonly failures: Filter = (next) => async (context) => {
    try {
      return await next(context);
    } catch (error) {
      if (!context.audit && StatusError.is(error) && error.status.code === 401) {
        context.user = unauthenticated;
        const record = this.#begin(context);
        record?.refused(error);
        if (record) await this.#write(record, 'ResponseStarted');
      }
      throw error;
    }
  };

  #begin(context: RequestContext): AuditRecord | undefined {
    const decision = this.#decide(context.user, context.info);
    this.#levels.add(1, levelLabels[decision.level]);
    if (decision.level === 'None') return undefined;
    const record = new AuditRecord(context, decision);
    context.audit = record;
    return record;
  }

  async #serve(context: RequestContext, record: AuditRecord, next: Handler): Promise<ApiResponse> {
    let response: ApiResponse;
    try {
      response = await next(context);
    } catch (error) {
      await this.#write(record, record.failed(error));
      throw error;
    }
    record.answered(response);
    if (lastsLong(context, response)) {
      await this.#write(record, 'ResponseStarted');
      return this.#follow(context, record, response);
    }
    const written = this.#write(record, 'ResponseComplete');
    if (written !== undefined) await written;
    return response;
  }

  /** Writes the last event of a response that has begun when it ends. */
  #follow({ upgrade }: RequestContext, record: AuditRecord, response: ApiResponse): ApiResponse {
    const onEnd = () => void this.#write(record, 'ResponseComplete');
    if (!upgrade?.channel) return whenEnded(response, onEnd);
    upgrade.channel = withEnd(upgrade.channel, onEnd);
    return response;
  }

  /** Resolves when all backends have the event, with the first failure if there is one. */
  #write(record: AuditRecord, stage: AuditStage): Promise<unknown> | undefined {
    const event = record.event(stage, this.#clock.now());
    if (event === undefined) return undefined;
    this.#events.add(1);
    let failure: Promise<unknown> | undefined;
    for (const backend of this.#backends) {
      const written = backend.process(event);
      if (written) failure = failure ? firstOf(failure, written) : written;
    }
    return failure;
  }
}

async function firstOf(one: Promise<unknown>, other: Promise<unknown>): Promise<unknown> {
  return (await one) ?? (await other);
}

/** A read changes nothing, and its response is held until its last event is written. */
function isRead({ request, info }: RequestContext): boolean {
  return (request.method === 'GET' || request.method === 'HEAD') && !isLongRunning(info);
}

function lastsLong({ info, upgrade }: RequestContext, { body }: ApiResponse): boolean {
  if (!isLongRunning(info)) return false;
  return upgrade?.channel !== undefined || body.kind === 'stream' || body.kind === 'values';
}

/** A request with an invalid credential is not anonymous. */
const unauthenticated: UserInfo = { name: '', groups: [] };

/** A response that reports when it has been sent completely or its client has disconnected. */
function whenEnded(response: ApiResponse, onEnd: () => void): ApiResponse {
  const { body } = response;
  if (body.kind === 'stream') {
    const stream: typeof body.stream = {
      open: (sink) => {
        const closing = onceClosed(sink, onEnd);
        body.stream.open({ ...closing, write: (chunk) => sink.write(chunk), onDrain: (hear) => sink.onDrain(hear) });
      },
    };
    return { ...response, body: { kind: 'stream', stream } };
  }
  if (body.kind !== 'values') return response;
  const values: typeof body.values = {
    open: (sink) => body.values.open({ ...onceClosed(sink, onEnd), write: (event) => sink.write(event) }),
  };
  return { ...response, body: { kind: 'values', values } };
}

interface Closing {
  end(cut?: Error): void;
  onClose(listener: () => void): void;
}

function onceClosed(sink: Closing, onEnd: () => void): Closing {
  let isOver = false;
  const over = () => {
    if (!isOver) onEnd();
    isOver = true;
  };
  const listeners: (() => void)[] = [over];
  sink.onClose(() => {
    for (const listener of listeners) listener();
  });
  return {
    end: (cut) => {
      over();
      sink.end(cut);
    },
    onClose: (listener) => {
      listeners.push(listener);
    },
  };
}
