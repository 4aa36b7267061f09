import { electionSettings, type SchedulerFile } from '@coracle/cluster';
import type { Command } from 'commander';

/** The flags of a scheduler that its configuration may set, too. */
export interface ConfigurableFlags {
  readonly kubeconfig?: string;
  readonly leaderElect: boolean;
  readonly leaderElectLeaseDuration: number;
  readonly leaderElectRenewDeadline: number;
  readonly leaderElectRetryPeriod: number;
  readonly leaderElectResourceName: string;
  readonly leaderElectResourceNamespace: string;
}

/** The flags; for absent ones, the settings of the configuration. */
export function configuredFlags<Flags extends ConfigurableFlags>(
  flags: Flags,
  command: Pick<Command, 'getOptionValueSource'>,
  { leaderElection, clientConnection }: SchedulerFile,
): Flags {
  const isGiven = (flag: string) => command.getOptionValueSource(flag) === 'cli';
  const kubeconfig = clientConnection?.kubeconfig;
  const stated = Object.entries({ ...electionFlags(leaderElection), ...(kubeconfig && { kubeconfig }) });
  return { ...flags, ...Object.fromEntries(stated.filter(([flag]) => !isGiven(flag))) };
}

function electionFlags(election: SchedulerFile['leaderElection']): Partial<ConfigurableFlags> {
  if (!election) return {};
  const settings = electionSettings(election);
  return {
    leaderElect: settings.leaderElect,
    leaderElectLeaseDuration: settings.leaseDurationMs,
    leaderElectRenewDeadline: settings.renewDeadlineMs,
    leaderElectRetryPeriod: settings.retryPeriodMs,
    leaderElectResourceName: settings.resourceName,
    leaderElectResourceNamespace: settings.resourceNamespace,
  };
}

/** The process settings of a configuration that `coracle scheduler` supports. */
export function isUsedByScheduler(path: string): boolean {
  return path.startsWith('leaderElection.') || path === 'clientConnection.kubeconfig';
}

/** Names of settings without effect. */
export function sayUnused(fields: readonly string[]): void {
  if (fields.length > 0) process.stderr.write(`coracle: without effect here: ${fields.join(', ')}\n`);
}
