import type { TopologySpreadConstraint } from '@coracle/api';
import {
  duplicateField,
  type FieldError,
  type FieldPath,
  forbiddenField,
  formatDuration,
  invalidField,
  isQualifiedName,
  notSupportedField,
  parseDuration,
  requiredField,
} from '@coracle/apimachinery';
import { isRecord, type Millis } from '@coracle/base';
import { checkShape } from './check-shape.js';
import { argumentShapes } from './configuration-shape.js';
import type { PluginArguments, ScoringStrategy, WeightedResource } from './scheduler-configuration.js';
import { validateAddedAffinity } from './validate-added-affinity.js';

type Validators = { readonly [Name in keyof PluginArguments]: Validator<PluginArguments[Name]> };
type Validator<Args> = (path: FieldPath, args: Args) => FieldError[];

const validators: Validators = {
  DefaultPreemption: validatePreemption,
  DynamicResources: validateTimeouts,
  InterPodAffinity: (path, { hardPodAffinityWeight = 1 }) =>
    inRange(path.child('hardPodAffinityWeight'), hardPodAffinityWeight, [0, 100]),
  NodeAffinity: (path, { addedAffinity }) =>
    addedAffinity ? validateAddedAffinity(path.child('addedAffinity'), addedAffinity) : [],
  NodeResourcesBalancedAllocation: (path, { resources = [] }) => validateBalance(path.child('resources'), resources),
  NodeResourcesFit: validateFit,
  PodTopologySpread: validateSpread,
  VolumeBinding: (path, { bindTimeoutSeconds: seconds = 0 }) =>
    seconds < 0
      ? [
          invalidField(
            path.child('bindTimeoutSeconds'),
            seconds,
            'invalid BindTimeoutSeconds, should not be a negative value',
          ),
        ]
      : [],
};

/** Field errors in the arguments of a plugin. Out-of-tree plugins validate their own. */
export function validatePluginArguments(path: FieldPath, plugin: string, args: unknown): FieldError[] {
  if (!isOurs(plugin) || args === undefined) return [];
  if (!isRecord(args) || checkShape(args, argumentShapes[plugin]).mistyped.length > 0)
    return [invalidField(path, args, 'has to match plugin args')];
  // Validated by the schema of the plugin's arguments.
  return (validators[plugin] as Validator<object>)(path, args);
}

function isOurs(plugin: string): plugin is keyof PluginArguments {
  return Object.hasOwn(validators, plugin);
}

function inRange(path: FieldPath, value: number, [least, most]: readonly [number, number]): FieldError[] {
  return value >= least && value <= most ? [] : [invalidField(path, value, `not in valid range [${least}, ${most}]`)];
}

function validatePreemption(path: FieldPath, args: PluginArguments['DefaultPreemption']): FieldError[] {
  const { minCandidateNodesPercentage: percentage = 10, minCandidateNodesAbsolute: absolute = 100 } = args;
  const percentagePath = path.child('minCandidateNodesPercentage');
  const absolutePath = path.child('minCandidateNodesAbsolute');
  const errors = inRange(percentagePath, percentage, [0, 100]);
  if (absolute < 0) errors.push(invalidField(absolutePath, absolute, 'not in valid range [0, inf)'));
  if (percentage === 0 && absolute === 0)
    errors.push(
      invalidField(percentagePath, percentage, 'cannot be zero at the same time as minCandidateNodesAbsolute'),
      invalidField(absolutePath, absolute, 'cannot be zero at the same time as minCandidateNodesPercentage'),
    );
  return errors;
}

function validateTimeouts(path: FieldPath, args: PluginArguments['DynamicResources']): FieldError[] {
  const { filterTimeout = '0s', bindingTimeout = '1s' } = args;
  return [
    ...atLeast(path.child('filterTimeout'), filterTimeout, [0, 'must be zero or positive']),
    ...atLeast(path.child('bindingTimeout'), bindingTimeout, [1_000, 'must be at least 1 second']),
  ];
}

function atLeast(path: FieldPath, duration: string, [least, problem]: readonly [Millis, string]): FieldError[] {
  // The type has been checked: it is a duration.
  const found = parseDuration(duration) ?? 0;
  return found >= least ? [] : [invalidField(path, formatDuration(found), problem)];
}

/** A weight of 0 means 1. */
function validateBalance(path: FieldPath, resources: readonly WeightedResource[]): FieldError[] {
  const seen = new Set<string>();
  return resources.flatMap(({ name, weight }, index) => {
    const at = path.index(index);
    const errors = seen.has(name) ? [duplicateField(at.child('name'), name)] : [];
    seen.add(name);
    if (weight && weight !== 1) errors.push(invalidField(at.child('weight'), weight, 'must be 1'));
    return errors;
  });
}

function validateFit(path: FieldPath, args: PluginArguments['NodeResourcesFit']): FieldError[] {
  const { ignoredResources = [], ignoredResourceGroups = [], scoringStrategy } = args;
  const groups = path.child('ignoredResourceGroups');
  return [
    ...ignoredResources.flatMap((name, index) => validateName(path.child('ignoredResources').index(index), name)),
    ...ignoredResourceGroups.flatMap((group, index) => [
      ...(group.includes('/')
        ? [invalidField(groups.index(index), group, "resource group name can't contain '/'")]
        : []),
      ...validateName(groups.index(index), group),
    ]),
    ...(scoringStrategy ? validateStrategy(path.child('scoringStrategy'), scoringStrategy) : []),
  ];
}

const strategies = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'];

function validateStrategy(path: FieldPath, strategy: ScoringStrategy): FieldError[] {
  // A strategy without a type is invalid: only an absent strategy has a default.
  const { type = '', resources = [], requestedToCapacityRatio: ratio } = strategy;
  const ratioPath = path.child('requestedToCapacityRatio');
  const errors: FieldError[] = [];
  if (!strategies.includes(type)) errors.push(notSupportedField(path.child('type'), type, strategies));
  resources.forEach(({ name, weight }, index) => {
    // A missing weight means one.
    if (weight && (weight < 0 || weight > 100))
      errors.push(
        invalidField(
          path.child('resources').index(index).child('weight'),
          weight,
          `resource weight of ${name} not in valid range (0, 100]`,
        ),
      );
  });
  if (type !== 'RequestedToCapacityRatio')
    return ratio
      ? [...errors, forbiddenField(ratioPath, 'must be nil when type is not RequestedToCapacityRatio')]
      : errors;
  if (!ratio) return [...errors, requiredField(ratioPath, 'must be specified when type is RequestedToCapacityRatio')];
  return [...errors, ...validateShape(ratioPath.child('shape'), ratio.shape ?? [])];
}

type Points = NonNullable<NonNullable<ScoringStrategy['requestedToCapacityRatio']>['shape']>;

function validateShape(path: FieldPath, shape: Points): FieldError[] {
  if (shape.length === 0) return [requiredField(path, 'at least one point must be specified')];
  const unsorted = shape.findIndex(({ utilization = 0 }, index) => {
    const before = shape[index - 1];
    return before && (before.utilization ?? 0) >= utilization;
  });
  const at = path.index(unsorted).child('utilization');
  return [
    ...(unsorted < 0
      ? []
      : [invalidField(at, shape[unsorted]?.utilization ?? 0, 'values must be sorted in increasing order')]),
    ...shape.flatMap(({ utilization = 0, score = 0 }, index) => [
      ...inRange(path.index(index).child('utilization'), utilization, [0, 100]),
      ...inRange(path.index(index).child('score'), score, [0, 10]),
    ]),
  ];
}

function validateName(path: FieldPath, name: string): FieldError[] {
  return isQualifiedName(name).map((problem) => invalidField(path, name, problem));
}

function validateSpread(path: FieldPath, args: PluginArguments['PodTopologySpread']): FieldError[] {
  const { defaultingType = 'System', defaultConstraints = [] } = args;
  const typePath = path.child('defaultingType');
  const errors: FieldError[] = [];
  if (defaultingType !== 'System' && defaultingType !== 'List')
    errors.push(notSupportedField(typePath, defaultingType, ['System', 'List']));
  else if (defaultingType === 'System' && defaultConstraints.length > 0)
    errors.push(invalidField(typePath, defaultingType, 'when .defaultConstraints are not empty'));
  return [...errors, ...validateConstraints(path.child('defaultConstraints'), defaultConstraints)];
}

const whenUnsatisfiable = ['DoNotSchedule', 'ScheduleAnyway'];

function validateConstraints(path: FieldPath, constraints: readonly TopologySpreadConstraint[]): FieldError[] {
  const seen = new Set<string>();
  return constraints.flatMap((one, index) => {
    const errors = validateConstraint(path.index(index), one);
    const key = `{${one.topologyKey}, ${one.whenUnsatisfiable}}`;
    if (seen.has(key)) errors.push(duplicateField(path.index(index), key));
    seen.add(key);
    return errors;
  });
}

function validateConstraint(path: FieldPath, constraint: TopologySpreadConstraint): FieldError[] {
  const { maxSkew = 0, topologyKey = '', whenUnsatisfiable: when = '', labelSelector } = constraint;
  const [keyPath, whenPath] = [path.child('topologyKey'), path.child('whenUnsatisfiable')];
  const errors: FieldError[] = [];
  if (maxSkew <= 0) errors.push(invalidField(path.child('maxSkew'), maxSkew, 'not in valid range (0, inf)'));
  errors.push(
    ...(topologyKey === '' ? [requiredField(keyPath, 'can not be empty')] : validateName(keyPath, topologyKey)),
  );
  if (when === '') errors.push(requiredField(whenPath, 'can not be empty'));
  else if (!whenUnsatisfiable.includes(when)) errors.push(notSupportedField(whenPath, when, whenUnsatisfiable));
  if (labelSelector)
    errors.push(
      forbiddenField(
        path.child('labelSelector'),
        'constraint must not define a selector, as they deduced for each pod',
      ),
    );
  return errors;
}
