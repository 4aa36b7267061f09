import { type FieldError, FieldPath, formatDuration, invalidField, parseDuration } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** The part of a `KubeSchedulerConfiguration` for the process of a scheduler. */
export interface ProcessConfiguration {
  readonly leaderElection?: LeaderElectionConfiguration;
  readonly clientConnection?: ClientConnectionConfiguration;
  readonly enableProfiling?: boolean;
  readonly enableContentionProfiling?: boolean;
  readonly delayCacheUntilActive?: boolean;
}

/** Durations in Go's format. An empty value means the default. */
export interface LeaderElectionConfiguration {
  readonly leaderElect?: boolean;
  readonly leaseDuration?: string;
  readonly renewDeadline?: string;
  readonly retryPeriod?: string;
  readonly resourceLock?: string;
  readonly resourceName?: string;
  readonly resourceNamespace?: string;
}

export interface ClientConnectionConfiguration {
  readonly kubeconfig?: string;
  readonly acceptContentTypes?: string;
  readonly contentType?: string;
  readonly qps?: number;
  readonly burst?: number;
}

/** The leader election settings with defaults. */
export interface ElectionSettings {
  readonly leaderElect: boolean;
  readonly leaseDurationMs: Millis;
  readonly renewDeadlineMs: Millis;
  readonly retryPeriodMs: Millis;
  readonly resourceLock: string;
  readonly resourceName: string;
  readonly resourceNamespace: string;
}

/** With the defaults of upstream v1.36. */
export function electionSettings(election: LeaderElectionConfiguration = {}): ElectionSettings {
  const { leaderElect = true, resourceLock, resourceName, resourceNamespace } = election;
  return {
    leaderElect,
    leaseDurationMs: parseDuration(election.leaseDuration ?? '') || 15_000,
    renewDeadlineMs: parseDuration(election.renewDeadline ?? '') || 10_000,
    retryPeriodMs: parseDuration(election.retryPeriod ?? '') || 2_000,
    resourceLock: resourceLock || 'leases',
    resourceName: resourceName || 'kube-scheduler',
    resourceNamespace: resourceNamespace || 'kube-system',
  };
}

/** The errors in the process settings of a configuration. */
export function validateProcess({ leaderElection, clientConnection }: ProcessConfiguration): FieldError[] {
  const { burst = 0 } = clientConnection ?? {};
  const errors = leaderElection ? validateElection(electionSettings(leaderElection)) : [];
  if (burst >= 0) return errors;
  return [invalidField(FieldPath.of('clientConnection').child('burst'), burst, 'must be non-negative'), ...errors];
}

function validateElection(settings: ElectionSettings): FieldError[] {
  const { leaderElect, leaseDurationMs, renewDeadlineMs, retryPeriodMs, resourceLock } = settings;
  if (!leaderElect) return [];
  const path = FieldPath.of('leaderElection');
  const times = { leaseDuration: leaseDurationMs, renewDeadline: renewDeadlineMs, retryPeriod: retryPeriodMs };
  const errors = Object.entries(times).flatMap(([name, time]) =>
    time > 0 ? [] : [invalidField(path.child(name), formatDuration(time), 'must be greater than zero')],
  );
  if (leaseDurationMs < renewDeadlineMs) {
    const problem = 'LeaseDuration must be greater than RenewDeadline';
    errors.push(invalidField(path.child('leaseDuration'), formatDuration(renewDeadlineMs), problem));
  }
  if (resourceLock !== 'leases')
    errors.push(invalidField(path.child('resourceLock'), resourceLock, 'resourceLock value must be "leases"'));
  return errors;
}

/** The process settings that a configuration contains, except for those in `used`, as paths. */
export function statedProcessFields(
  configuration: ProcessConfiguration,
  used: (path: string) => boolean = () => false,
): string[] {
  const { leaderElection, clientConnection, enableProfiling, enableContentionProfiling, delayCacheUntilActive } =
    configuration;
  const stated = {
    leaderElection,
    clientConnection,
    enableProfiling,
    enableContentionProfiling,
    delayCacheUntilActive,
  };
  const paths = Object.entries(stated).flatMap(([name, value]) => {
    if (typeof value === 'object') return Object.keys(value).map((field) => `${name}.${field}`);
    return value === undefined ? [] : [name];
  });
  return paths.filter((path) => !used(path));
}
