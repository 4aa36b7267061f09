import { formatFieldError } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import { type CompleteConfiguration, type SchedulerConfiguration, withDefaults } from './scheduler-configuration.js';
import { validateConfiguration } from './validate-configuration.js';

const version = 'kubescheduler.config.k8s.io/v1';

/** Reads a `KubeSchedulerConfiguration`, and fills it in. Throws an error that says what is wrong with it. */
export function parseConfiguration(value: unknown): CompleteConfiguration {
  const { apiVersion, kind } = isRecord(value) ? value : {};
  if (kind !== 'KubeSchedulerConfiguration' || apiVersion !== version)
    throw new Error(`this is no KubeSchedulerConfiguration of ${version}`);
  // Checked as far as it is used: what is said of clients and elections may be there too.
  const configuration = value as SchedulerConfiguration;
  const problems = validateConfiguration(configuration);
  if (problems.length > 0) throw new Error(problems.map(formatFieldError).join(', '));
  return withDefaults(configuration);
}
