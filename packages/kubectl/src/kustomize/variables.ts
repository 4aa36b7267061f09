import { fieldReader } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { type Fields, isRecord, recordAt, textAt } from '../values.js';
import type { KustomizeResource } from './resource.js';
import { selects } from './selectors.js';

/** Puts the values of `vars` in place of `$(NAME)`. */
export function resolveVariables(resources: readonly KustomizeResource[], variables: readonly Fields[]): void {
  if (variables.length === 0) return;
  const values = new Map(variables.map((variable) => [textAt(variable, 'name'), variableValue(resources, variable)]));
  for (const resource of resources) resource.object = filled(resource.object, values) as Fields;
}

function variableValue(resources: readonly KustomizeResource[], variable: Fields): string {
  const reference = recordAt(variable, 'objref');
  const apiVersion = textAt(reference, 'apiVersion');
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const found = resources.filter((one) => selects({ ...reference, group, version, apiVersion: undefined }, one));
  const [only] = found;
  if (found.length !== 1 || !only)
    throw new CommandError(
      `var '${textAt(variable, 'name')}' cannot be mapped to a field in the set of known resources`,
    );
  const path =
    textAt(variable, 'fieldref', 'fieldPath') || textAt(variable, 'fieldref', 'fieldpath') || 'metadata.name';
  return String(fieldReader(`.${path}`)(only.object) ?? '');
}

function filled(value: unknown, values: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string')
    return value.replace(/\$\(([A-Za-z_]\w*)\)/g, (whole, name: string) => values.get(name) ?? whole);
  if (Array.isArray(value)) return value.map((item) => filled(item, values));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, values)]));
}
