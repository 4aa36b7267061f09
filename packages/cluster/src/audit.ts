import { readFile } from 'node:fs/promises';
import { parseYamlDocuments } from '@coracle/apimachinery';
import {
  type AuditBackend,
  type AuditOptions,
  type AuditPolicy,
  BatchBackend,
  type BatchSettings,
  type BatchSink,
  blockingBackend,
  type Needs,
  parseAuditPolicy,
  webhookEndpoint,
  webhookSink,
} from '@coracle/apiserver';
import { type Clock, type DisposableStack, type Logger, type Metrics, messageOf } from '@coracle/base';
import { AuditLog, type AuditLogOptions } from '@coracle/platform-nodejs';
import { currentTarget, type WebhookTargetSettings } from './webhook-target.js';

/**
 * Whether requests wait for their events: `batch` does not wait, `blocking` does, `blocking-strict` also rejects
 * requests whose events cannot be written.
 */
export type AuditMode = 'batch' | 'blocking' | 'blocking-strict';

interface BackendSettings {
  readonly mode: AuditMode;
  readonly batch: BatchSettings;
}

/** Settings of the `--audit-…` flags. */
export interface AuditSettings {
  readonly policy: AuditPolicy;
  readonly log?: BackendSettings & AuditLogOptions;
  readonly webhook?: BackendSettings &
    WebhookTargetSettings & {
      readonly initialBackoffMs: number;
      readonly truncate?: { readonly maxEventBytes: number; readonly maxBatchBytes: number } | undefined;
    };
}

interface Dependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly parts: DisposableStack;
}

/** The backends of the audit, made when the server has its way out. */
export function createAudit(
  { policy, log, webhook }: AuditSettings,
  deps: Dependencies,
): (parts: Needs<'outbound'>) => AuditOptions {
  return ({ outbound }) => {
    const backends: AuditBackend[] = [];
    if (log) {
      const file = new AuditLog(log);
      backends.push(log.mode === 'batch' ? batched(file, log.batch, deps) : file);
    }
    if (webhook) {
      const { initialBackoffMs, truncate } = webhook;
      const endpoint = webhookEndpoint(outbound, currentTarget(webhook, deps));
      const sink = webhookSink({ endpoint, clock: deps.clock, initialBackoffMs, truncate });
      backends.push(webhook.mode === 'batch' ? batched(sink, webhook.batch, deps) : blockingBackend(sink));
    }
    const isStrict = [log, webhook].some((one) => one?.mode === 'blocking-strict');
    return { policy, backends, isStrict };
  };
}

/** The policy of a file; an invalid one is rejected. */
export async function readAuditPolicy(file: string): Promise<AuditPolicy> {
  try {
    return parseAuditPolicy(parseYamlDocuments(await readFile(file))[0]?.value);
  } catch (error) {
    throw new Error(`loading audit policy file: ${file}: ${messageOf(error)}`, { cause: error });
  }
}

function batched(sink: BatchSink, settings: BatchSettings, { clock, logger, metrics }: Dependencies): BatchBackend {
  const dropped = metrics.counter({
    name: 'apiserver_audit_error_total',
    help: 'Audit events that a backend failed to write.',
    labels: ['plugin'],
  });
  const onDrop = (events: number) => dropped.add(events, { plugin: sink.name });
  return new BatchBackend(sink, settings, { clock, logger, onDrop });
}
