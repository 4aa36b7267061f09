import { isExtendedResource } from '@coracle/api';
import {
  duplicateField,
  type FieldError,
  FieldPath,
  formatFieldError,
  invalidField,
  isQualifiedName,
  requiredField,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import { validateProcess } from './process-configuration.js';
import {
  type ExtenderConfiguration,
  extensionPoints,
  type ProfileConfiguration,
  type SchedulerConfiguration,
  withDefaults,
} from './scheduler-configuration.js';
import { validatePluginArguments } from './validate-plugin-arguments.js';

/** Throws an error with all problems of a configuration, if there are any. */
export function requireValid(configuration: SchedulerConfiguration): void {
  const problems = [...new Set(validateConfiguration(configuration).map(formatFieldError))];
  if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
}

/** Field errors in a configuration. */
export function validateConfiguration(configuration: SchedulerConfiguration): FieldError[] {
  const config = withDefaults(configuration);
  const { parallelism, podInitialBackoffSeconds: initial, podMaxBackoffSeconds: most } = config;
  const errors: FieldError[] = validateProcess(config);
  if (parallelism <= 0)
    errors.push(invalidField(FieldPath.of('parallelism'), parallelism, 'should be an integer value greater than zero'));
  errors.push(...validateProfiles(FieldPath.of('profiles'), config.profiles));
  errors.push(...validatePercentage(FieldPath.of('percentageOfNodesToScore'), config.percentageOfNodesToScore));
  if (initial <= 0)
    errors.push(invalidField(FieldPath.of('podInitialBackoffSeconds'), initial, 'must be greater than 0'));
  if (most < initial)
    errors.push(
      invalidField(
        FieldPath.of('podMaxBackoffSeconds'),
        most,
        'must be greater than or equal to PodInitialBackoffSeconds',
      ),
    );
  return [...errors, ...validateExtenders(FieldPath.of('extenders'), config.extenders)];
}

function validatePercentage(path: FieldPath, percentage: number | undefined): FieldError[] {
  if (percentage === undefined || (percentage >= 0 && percentage <= 100)) return [];
  return [invalidField(path, percentage, 'not in valid range [0-100]')];
}

function validateProfiles(path: FieldPath, profiles: readonly ProfileConfiguration[]): FieldError[] {
  const errors: FieldError[] = [];
  const places = new Map<string, FieldPath>();
  profiles.forEach((profile, index) => {
    const { schedulerName = '' } = profile;
    const at = path.index(index).child('schedulerName');
    const before = places.get(schedulerName);
    errors.push(...validateProfile(path.index(index), profile));
    if (before) errors.push(duplicateField(at, String(before)));
    places.set(schedulerName, at);
  });
  return [...errors, ...validateSorting(path, profiles)];
}

function validateProfile(path: FieldPath, profile: ProfileConfiguration): FieldError[] {
  const { schedulerName = '', percentageOfNodesToScore, plugins = {}, pluginConfig = [] } = profile;
  const seen = new Set<string>();
  return [
    ...(schedulerName === '' ? [requiredField(path.child('schedulerName'), '')] : []),
    ...validatePercentage(path.child('percentageOfNodesToScore'), percentageOfNodesToScore),
    ...extensionPoints.flatMap((point) =>
      (plugins[point]?.enabled ?? []).flatMap(({ name }, index) =>
        validateExistence(path.child('plugins', point, 'enabled').index(index), name),
      ),
    ),
    ...pluginConfig.flatMap(({ name, args }, index) => {
      const at = path.child('pluginConfig').index(index);
      const repeated = seen.has(name) ? [duplicateField(at, name)] : [];
      seen.add(name);
      return [...repeated, ...validateExistence(at, name), ...validatePluginArguments(at.child('args'), name, args)];
    }),
  ];
}

/** Plugins that were removed from upstream. */
const gone: ReadonlySet<string> = new Set(['AzureDiskLimits', 'CinderLimits', 'EBSLimits', 'GCEPDLimits']);

function validateExistence(path: FieldPath, name: string): FieldError[] {
  const problem =
    'was invalid in version "v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")';
  return gone.has(name) ? [invalidField(path, name, problem)] : [];
}

/** There is one queue for all profiles, so they must agree on its order. */
function validateSorting(path: FieldPath, profiles: readonly ProfileConfiguration[]): FieldError[] {
  const sortingOf = ({ plugins }: ProfileConfiguration = {}) => plugins?.queueSort ?? {};
  const [first, ...others] = profiles;
  const [sorter, ...more] = sortingOf(first).enabled ?? [];
  const argsOf = ({ pluginConfig }: ProfileConfiguration = {}) =>
    pluginConfig?.find(({ name }) => name === sorter?.name)?.args;
  const errors: FieldError[] = [];
  if (more.length > 0)
    errors.push(
      invalidField(
        path.index(0).child('plugins', 'queueSort', 'Enabled'),
        more.length + 1,
        'only one queue sort plugin can be enabled',
      ),
    );
  others.forEach((profile, index) => {
    const at = path.index(index + 1);
    if (!deepEqual(sortingOf(profile), sortingOf(first)))
      errors.push(
        invalidField(at.child('plugins', 'queueSort'), sortingOf(profile), 'must be the same for all profiles'),
      );
    const args = argsOf(profile);
    if (args !== undefined && !deepEqual(args, argsOf(first)))
      errors.push(invalidField(at.child('pluginConfig', 'args'), args, 'queueSort must be the same for all profiles'));
  });
  return errors;
}

function validateExtenders(path: FieldPath, extenders: readonly ExtenderConfiguration[]): FieldError[] {
  const seen = new Set<string>();
  const errors = extenders.flatMap(({ prioritizeVerb, weight = 0, managedResources = [] }, index) => {
    const at = path.index(index);
    return [
      ...(prioritizeVerb && weight <= 0
        ? [invalidField(at.child('weight'), weight, 'must have a positive weight applied to it')]
        : []),
      ...managedResources.flatMap(({ name = '' }, position) => {
        const where = at.child('managedResources').index(position).child('name');
        const repeated = seen.has(name) ? [invalidField(where, name, 'duplicate extender managed resource name')] : [];
        seen.add(name);
        return [...validateExtendedResource(where, name), ...repeated];
      }),
    ];
  });
  const binders = extenders.filter(({ bindVerb }) => bindVerb).length;
  if (binders > 1)
    errors.push(
      invalidField(path, `found ${binders} extenders implementing bind`, 'only one extender can implement bind'),
    );
  return errors;
}

function validateExtendedResource(path: FieldPath, name: string): FieldError[] {
  const problems = isQualifiedName(name);
  if (problems.length > 0) return problems.map((problem) => invalidField(path, name, problem));
  return isExtendedResource(name) ? [] : [invalidField(path, name, 'is an invalid extended resource name')];
}
