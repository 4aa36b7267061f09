import { type AuditMode, type AuditSettings, readAuditPolicy } from '@coracle/cluster';
import { readWebhookTarget } from '@coracle/platform-nodejs';
import { type Command, Option } from 'commander';
import { booleanFlag, durationFlag, parseCount, parseTimespan } from './flag-values.js';

const modes = ['batch', 'blocking', 'blocking-strict'];
const million = 1024 * 1024;

/** Flags of both backends, with the prefixes `--audit-log-…` and `--audit-webhook-…`. */
interface BackendDefaults {
  readonly backend: 'log' | 'webhook';
  readonly mode: AuditMode;
  readonly batchSize: number;
  readonly waitMs: number;
  readonly isThrottled: boolean;
}

const log: BackendDefaults = { backend: 'log', mode: 'blocking', batchSize: 1, waitMs: 0, isThrottled: false };
const webhook: BackendDefaults = {
  backend: 'webhook',
  mode: 'batch',
  batchSize: 400,
  waitMs: 30_000,
  isThrottled: true,
};

export function addAuditFlags(command: Command): Command {
  command
    .option('--audit-policy-file <file>', 'audit policy file')
    .option('--audit-log-path <file>', 'audit log file; - for standard output')
    .addOption(
      new Option('--audit-log-format <format>', 'format of the audit log').choices(['json', 'legacy']).default('json'),
    )
    .option('--audit-log-maxage <days>', 'maximum age of rotated audit logs, in days; 0 for no limit', parseCount, 0)
    .option('--audit-log-maxbackup <n>', 'maximum number of rotated audit logs; 0 for no limit', parseCount, 0)
    .option(
      '--audit-log-maxsize <megabytes>',
      'maximum size of the audit log before it is rotated, in megabytes',
      parseCount,
      100,
    )
    .addOption(booleanFlag('audit-log-compress', 'gzip rotated audit logs', false))
    .option('--audit-webhook-config-file <file>', 'kubeconfig of the audit webhook')
    .addOption(
      durationFlag('audit-webhook-initial-backoff', 'initial backoff before a failed request is retried', 10_000),
    );
  for (const defaults of [log, webhook]) addBackendFlags(command, defaults);
  return command;
}

function addBackendFlags(command: Command, { backend, mode, batchSize, waitMs, isThrottled }: BackendDefaults): void {
  const name = `audit-${backend}`;
  const hidden = (flag: string, parse: (text: string) => number, usual: number) =>
    command.addOption(new Option(`--${name}-${flag} <value>`).argParser(parse).default(usual).hideHelp());
  command.addOption(
    new Option(`--${name}-mode <mode>`, 'write mode: whether requests wait until their events are written')
      .choices(modes)
      .default(mode),
  );
  hidden('batch-buffer-size', parseCount, 10_000);
  hidden('batch-max-size', parseCount, batchSize);
  hidden('batch-max-wait', parseTimespan, waitMs);
  command.addOption(booleanFlag(`${name}-batch-throttle-enable`, '', isThrottled).hideHelp());
  hidden('batch-throttle-qps', Number, 10);
  hidden('batch-throttle-burst', parseCount, 15);
  command.addOption(booleanFlag(`${name}-truncate-enabled`, '', false).hideHelp());
  hidden('truncate-max-batch-size', parseCount, 10 * million);
  hidden('truncate-max-event-size', parseCount, 100 * 1024);
  command.addOption(new Option(`--${name}-version <version>`).choices(['audit.k8s.io/v1']).hideHelp());
}

/** The audit settings of the flags; `undefined` if auditing is off. */
export async function auditSettings(flags: object): Promise<AuditSettings | undefined> {
  const values = flags as Readonly<Record<string, unknown>>;
  const { auditPolicyFile: policyFile, auditLogPath: path, auditWebhookConfigFile: config } = values;
  if (path === undefined && config === undefined) {
    if (policyFile !== undefined) await readAuditPolicy(String(policyFile));
    return undefined;
  }
  // As upstream: without a policy nothing is recorded.
  if (policyFile === undefined) return undefined;
  const truncate = values['auditWebhookTruncateEnabled']
    ? {
        maxEventBytes: Number(values['auditWebhookTruncateMaxEventSize']),
        maxBatchBytes: Number(values['auditWebhookTruncateMaxBatchSize']),
      }
    : undefined;
  return {
    policy: await readAuditPolicy(String(policyFile)),
    ...(path !== undefined && {
      log: {
        ...backendSettings(values, 'Log'),
        path: String(path),
        format: values['auditLogFormat'] === 'legacy' ? 'legacy' : 'json',
        maxEventBytes: values['auditLogTruncateEnabled'] ? Number(values['auditLogTruncateMaxEventSize']) : undefined,
        rotation: {
          maxBytes: (Number(values['auditLogMaxsize']) || 100) * million,
          maxBackups: Number(values['auditLogMaxbackup']),
          maxAgeDays: Number(values['auditLogMaxage']),
          compresses: values['auditLogCompress'] === true,
        },
      },
    }),
    ...(config !== undefined && {
      webhook: {
        ...backendSettings(values, 'Webhook'),
        target: await readWebhookTarget(String(config)),
        kubeconfig: String(config),
        initialBackoffMs: Number(values['auditWebhookInitialBackoff']),
        truncate,
      },
    }),
  };
}

function backendSettings(values: Readonly<Record<string, unknown>>, backend: 'Log' | 'Webhook') {
  const value = (name: string) => Number(values[`audit${backend}${name}`]);
  return {
    mode: values[`audit${backend}Mode`] as AuditMode,
    batch: {
      bufferSize: value('BatchBufferSize'),
      maxBatchSize: value('BatchMaxSize'),
      maxWaitMs: value('BatchMaxWait'),
      ...(values[`audit${backend}BatchThrottleEnable`] === true && {
        throttle: { qps: value('BatchThrottleQps'), burst: value('BatchThrottleBurst') },
      }),
    },
  };
}
