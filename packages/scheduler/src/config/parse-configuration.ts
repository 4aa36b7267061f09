import { isRecord } from '@coracle/base';
import { checkShape } from './check-shape.js';
import { argumentShapes, configurationShape } from './configuration-shape.js';
import { type CompleteConfiguration, type SchedulerConfiguration, withDefaults } from './scheduler-configuration.js';
import { requireValid } from './validate-configuration.js';

const version = 'kubescheduler.config.k8s.io/v1';

/** Parses a `KubeSchedulerConfiguration`, and sets defaults. Throws an error with the problems. */
export function parseConfiguration(document: unknown): CompleteConfiguration {
  const value = withoutNulls(document);
  const { apiVersion, kind } = isRecord(value) ? value : {};
  if (kind !== 'KubeSchedulerConfiguration' || apiVersion !== version)
    throw new Error(`not a KubeSchedulerConfiguration of ${version}`);
  requireShape(value);
  requireValid(value);
  return withDefaults(value);
}

/** null counts as absent. */
function withoutNulls(value: unknown): unknown {
  return value && JSON.parse(JSON.stringify(value, (_, one: unknown) => (one === null ? undefined : one)));
}

/** Known fields must have their type; unknown fields are rejected, because most of them are misspelled. */
function requireShape(value: unknown): asserts value is SchedulerConfiguration {
  const { mistyped, unknown } = checkShape(value, configurationShape);
  if (mistyped[0] !== undefined) throw new Error(mistyped[0]);
  const strict = [...unknown.map(unknownField), ...argumentProblems(value as SchedulerConfiguration)];
  if (strict.length > 0) throw new Error(strictly(strict));
}

function argumentProblems({ profiles = [] }: SchedulerConfiguration): string[] {
  return profiles.flatMap(({ pluginConfig = [] }, i) =>
    pluginConfig.flatMap(({ name, args }, j) => {
      const shape = Object.hasOwn(argumentShapes, name)
        ? argumentShapes[name as keyof typeof argumentShapes]
        : undefined;
      if (!shape) return [];
      const type = shape.struct.replace(/^v1\./, '');
      const { mistyped, unknown } = checkShape(args, shape);
      const where = `decoding .profiles[${i}].pluginConfig[${j}]`;
      if (mistyped[0] !== undefined) throw new Error(`${where}: decoding args for plugin ${name}: ${mistyped[0]}`);
      const { kind = type } = isRecord(args) ? args : {};
      if (kind !== type)
        throw new Error(
          `${where}: args for plugin ${name} were not of type ${type}.kubescheduler.config.k8s.io, got ${kind}.kubescheduler.config.k8s.io`,
        );
      if (unknown.length === 0) return [];
      const inArgs = strictly(unknown.map(unknownField));
      return [`${where}: ${strictly([`decoding args for plugin ${name}: ${inArgs}`])}`];
    }),
  );
}

function unknownField(path: string): string {
  return `unknown field ${JSON.stringify(path)}`;
}

function strictly(problems: readonly string[]): string {
  return `strict decoding error: ${problems.join(', ')}`;
}
