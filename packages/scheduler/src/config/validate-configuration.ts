import { duplicateField, type FieldError, FieldPath, invalidField, requiredField } from '@coracle/apimachinery';
import {
  extensionPoints,
  type ProfileConfiguration,
  type SchedulerConfiguration,
  withDefaults,
} from './scheduler-configuration.js';

/** What is wrong with a configuration. */
export function validateConfiguration(given: SchedulerConfiguration): FieldError[] {
  const config = withDefaults(given);
  const errors: FieldError[] = [];
  if (config.parallelism <= 0)
    errors.push(
      invalidField(FieldPath.of('parallelism'), config.parallelism, 'should be an integer value greater than zero'),
    );
  errors.push(...validatePercentage(FieldPath.of('percentageOfNodesToScore'), config.percentageOfNodesToScore));
  if (config.podInitialBackoffSeconds <= 0)
    errors.push(
      invalidField(FieldPath.of('podInitialBackoffSeconds'), config.podInitialBackoffSeconds, 'must be greater than 0'),
    );
  if (config.podMaxBackoffSeconds < config.podInitialBackoffSeconds)
    errors.push(
      invalidField(
        FieldPath.of('podMaxBackoffSeconds'),
        config.podMaxBackoffSeconds,
        'must be greater than or equal to PodInitialBackoffSeconds',
      ),
    );
  if (config.extenders.length > 0)
    errors.push(invalidField(FieldPath.of('extenders'), config.extenders.length, 'extenders are not supported'));
  return [...errors, ...validateProfiles(FieldPath.of('profiles'), config.profiles)];
}

function validatePercentage(path: FieldPath, percentage: number | undefined): FieldError[] {
  if (percentage === undefined || (percentage >= 0 && percentage <= 100)) return [];
  return [invalidField(path, percentage, 'not in valid range [0-100]')];
}

function validateProfiles(path: FieldPath, profiles: readonly ProfileConfiguration[]): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  profiles.forEach((profile, index) => {
    const at = path.index(index);
    const { schedulerName = '', percentageOfNodesToScore, pluginConfig = [] } = profile;
    if (schedulerName === '') errors.push(requiredField(at.child('schedulerName'), ''));
    else if (names.has(schedulerName)) errors.push(duplicateField(at.child('schedulerName'), schedulerName));
    names.add(schedulerName);
    errors.push(...validatePercentage(at.child('percentageOfNodesToScore'), percentageOfNodesToScore));
    const configured = new Set<string>();
    pluginConfig.forEach(({ name }, position) => {
      if (configured.has(name)) errors.push(duplicateField(at.child('pluginConfig').index(position), name));
      configured.add(name);
    });
    const known = new Set<string>([...extensionPoints, 'multiPoint']);
    for (const point of Object.keys(profile.plugins ?? {}))
      if (!known.has(point)) errors.push(invalidField(at.child('plugins'), point, 'unknown extension point'));
  });
  return [...errors, ...validateSorting(path, profiles)];
}

/** There is one queue for all profiles, so they must agree on its order. */
function validateSorting(path: FieldPath, profiles: readonly ProfileConfiguration[]): FieldError[] {
  const [first] = profiles;
  const sorting = ({ plugins }: ProfileConfiguration) => JSON.stringify(plugins?.queueSort ?? {});
  return profiles.flatMap((profile, index) =>
    first && sorting(profile) !== sorting(first)
      ? [
          invalidField(
            path.index(index).child('plugins', 'queueSort'),
            profile.plugins?.queueSort ?? {},
            'queueSort must be the same for all profiles',
          ),
        ]
      : [],
  );
}
