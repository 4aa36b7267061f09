import { type ApiResponse, StatusError } from '@coracle/apimachinery';
import type { Clock, Logger, Metrics } from '@coracle/base';
import type { AuditBackend, AuditEvent, AuditStage } from '../audit/audit-event.js';
import { type AuditPolicy, auditDecider } from '../audit/audit-policy.js';
import { AuditRecord } from '../audit/audit-record.js';
import { accessAttributes } from '../authorization/access-attributes.js';
import { withEnd } from '../channel-end.js';
import type { Filter, RequestContext } from '../handler-chain.js';
import type { UserInfo } from '../user-info.js';
import { isLongRunning } from './deadline.js';

export interface AuditOptions {
  readonly policy: AuditPolicy;
  readonly backends: readonly AuditBackend[];
  /** A request whose first event cannot be written is refused: `blocking-strict`. */
  readonly isStrict?: boolean;
}

export interface AuditDependencies {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Writes the events of requests, as far as the policy selects them. */
export class Auditor {
  readonly #options: AuditOptions;
  readonly #deps: AuditDependencies;
  readonly #decide: ReturnType<typeof auditDecider>;
  readonly #count: (level: string, events: number) => void;
  readonly #failed: (backend: string) => void;

  constructor(options: AuditOptions, deps: AuditDependencies) {
    this.#options = options;
    this.#deps = deps;
    this.#decide = auditDecider(options.policy);
    const { metrics } = deps;
    const events = metrics.counter({ name: 'apiserver_audit_event_total', help: 'Audit events that were made.' });
    const levels = metrics.counter({
      name: 'apiserver_audit_level_total',
      help: 'Requests by the level at which they are audited.',
      labels: ['level'],
    });
    const errors = metrics.counter({
      name: 'apiserver_audit_error_total',
      help: 'Audit events that a backend failed to write.',
      labels: ['plugin'],
    });
    this.#count = (level, made) => (made > 0 ? events.add(made) : levels.add(1, { level }));
    this.#failed = (plugin) => errors.add(1, { plugin });
  }

  /** Stands behind authentication. */
  readonly filter: Filter = (next) => async (context) => {
    const record = this.#begin(context);
    if (!record) return await next(context);
    const received = this.#write(record, 'RequestReceived');
    if (received !== undefined) await received;
    try {
      const response = await next(context);
      record.answered(response);
      return await this.#answered(context, record, response);
    } catch (error) {
      await this.#write(record, record.failed(error));
      throw error;
    }
  };

  /** Stands before authentication, whose refusals never get to the other filter. */
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
    const decision = this.#decide(accessAttributes(context));
    this.#count(decision.level, 0);
    if (decision.level === 'None') return undefined;
    const record = new AuditRecord(context, decision);
    context.audit = record;
    return record;
  }

  async #answered(context: RequestContext, record: AuditRecord, response: ApiResponse): Promise<ApiResponse> {
    const { body } = response;
    const { upgrade } = context;
    if (isLongRunning(context.info)) {
      if (upgrade?.channel) {
        await this.#write(record, 'ResponseStarted');
        upgrade.channel = withEnd(upgrade.channel, () => void this.#write(record, 'ResponseComplete'));
        return response;
      }
      if (body.kind === 'stream' || body.kind === 'values') {
        await this.#write(record, 'ResponseStarted');
        return whenEnded(response, () => void this.#write(record, 'ResponseComplete'));
      }
    }
    const written = this.#write(record, 'ResponseComplete');
    if (written !== undefined) await written;
    return response;
  }

  #write(record: AuditRecord, stage: AuditStage): Promise<void> | undefined {
    const event = record.event(stage, this.#deps.clock.now());
    if (!event) return undefined;
    this.#count(event.level, 1);
    const waits: Promise<void>[] = [];
    for (const backend of this.#options.backends) {
      const written = backend.process(event);
      if (written) waits.push(this.#watch(backend, written, event));
    }
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  async #watch(backend: AuditBackend, written: Promise<void>, { stage, auditID }: AuditEvent): Promise<void> {
    try {
      await written;
    } catch (error) {
      this.#failed(backend.name);
      this.#deps.logger.error('an audit event could not be written', { backend: backend.name, auditID, error });
      if (this.#options.isStrict && stage === 'RequestReceived') throw error;
    }
  }
}

/** A request that shows a bad credential is not anonymous either. */
const unauthenticated: UserInfo = { name: '', groups: [] };

/** The answer, which reports when it has been sent to its end or its client has gone. */
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
  end(): void;
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
    end: () => {
      over();
      sink.end();
    },
    onClose: (listener) => {
      listeners.push(listener);
    },
  };
}
