import type { GroupVersionKind, ObjectSchema, Schema } from '@coracle/apimachinery';
import { definitionPrefix } from './generated/definition-names.js';
import { definitionByKind } from './generated/kinds.js';
import { schemaText, sharedDefinitions } from './generated/schemas.js';
import { parseSchemaText } from './schema-text.js';

/** Definitions read so far. The tables never change, so this is a cache and not state. */
const parsed = new Map<string, Schema>();

/** The schema of a definition, such as `core-v1/PodSpec`. Read from its line the first time. */
export function schemaOf(definition: string): Schema {
  const entry = parsed.get(definition);
  if (entry) return entry;
  const slash = definition.indexOf('/');
  const module = definition.slice(0, slash);
  const text = textOf(module, definition.slice(slash + 1));
  if (text === undefined) throw new Error(`no such definition: ${definition}`);
  const schema = parseSchemaText(text, module, {
    name: fullDefinitionName(definition),
    resolve: (other, name) => schemaOf(`${other}/${name}`),
  });
  parsed.set(definition, schema);
  return schema;
}

/** The line of a definition, which may be in another version of its group. */
function textOf(module: string, name: string): string | undefined {
  const own = schemaText[module]?.[name];
  if (own !== undefined) return own;
  const shared = Object.entries(sharedDefinitions[module] ?? {}).find(([, names]) => names.split(' ').includes(name));
  return shared && schemaText[shared[0]]?.[name];
}

/** The schema of a built-in kind, or `undefined` if there is no such kind. */
export function schemaOfKind({ group, version, kind }: GroupVersionKind): ObjectSchema | undefined {
  const definition = definitionByKind[`${group}/${version}/${kind}`];
  return definition === undefined ? undefined : (schemaOf(definition) as ObjectSchema);
}

/** `core-v1/Pod` → `io.k8s.api.core.v1.Pod`. */
export function fullDefinitionName(definition: string): string {
  const slash = definition.indexOf('/');
  const prefix = definitionPrefix[definition] ?? definitionPrefix[definition.slice(0, slash)];
  return `${prefix}.${definition.slice(slash + 1)}`;
}

/** Every definition, as `module/Name`. */
export function allDefinitions(): string[] {
  return Object.entries(schemaText).flatMap(([module, lines]) => {
    const shared = Object.values(sharedDefinitions[module] ?? {}).flatMap((names) => names.split(' '));
    return [...Object.keys(lines), ...shared].sort().map((name) => `${module}/${name}`);
  });
}
