import { placeOf } from './facts.mjs';
import { otherVersions } from './other-versions.mjs';

const scalars = { string: 'string', boolean: 'boolean', integer: 'number', number: 'number' };

/** Definitions that are not objects with fields. */
const aliases = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'Record<string, unknown>',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Patch': 'unknown',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'Record<string, unknown>',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'number | string',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': 'unknown',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray':
    'JSONSchemaProps | JSONSchemaProps[]',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool': 'JSONSchemaProps | boolean',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray': 'JSONSchemaProps | string[]',
};

/** Definitions that have all fields of another one of their module. */
const baseTypes = { 'io.k8s.api.core.v1.EphemeralContainer': 'io.k8s.api.core.v1.Container' };

/** One file of interfaces a group version. */
export function* typeFiles({ definitions, modules }) {
  const { shared, similar } = typesOfOtherVersions({ definitions, modules });
  for (const [module, names] of modules) {
    const context = { module, definitions, shared, similar, imports: new Map(), exports: new Map() };
    const body = names.flatMap((name) => exported(name, context)).join('\n');
    const head = [...typeLines('import', context.imports), ...typeLines('export', context.exports)].join('');
    yield [`packages/api/src/generated/types/${module}.ts`, [head, body].filter((part) => part !== '').join('\n')];
  }
  const modulesBut = [...modules.keys()].filter((module) => module !== 'core-v1' && module !== 'meta-v1').sort();
  const namespaces = ['core-v1', 'meta-v1', ...modulesBut]
    .map((module) => `export type * as ${module.replace(/-/g, '')} from './types/${module}.js';\n`)
    .join('');
  yield ['packages/api/src/generated/types.ts', namespaces];
}

/**
 * The declaration of a type, or nothing for a type that another version of the group declares: that one is exported.
 */
function exported(fullName, context) {
  const place = context.shared.get(fullName);
  if (place === undefined) return [declaration(fullName, context.definitions[fullName], context)];
  addName(context.exports, place);
  return [];
}

/**
 * `shared`: full name → place of the equal type in another version of its group. Two types are equal when their
 * declarations are, and the types of their group that they refer to; `similar` has those of which the latter differ.
 */
function typesOfOtherVersions({ definitions, modules }) {
  const shared = new Map();
  const similar = new Map();
  for (const [module, names] of modules) {
    for (const other of otherVersions(module, modules)) {
      const equal = new Map();
      for (const name of names) {
        const twin = modules.get(other).find((candidate) => placeOf(candidate).name === placeOf(name).name);
        if (twin !== undefined && plainText(name, definitions) === plainText(twin, definitions)) equal.set(name, twin);
      }
      const sameText = [...equal];
      removeDependents(equal, definitions);
      for (const [name, twin] of sameText) if (!equal.has(name) && !similar.has(name)) similar.set(name, twin);
      for (const [name, twin] of equal) if (!shared.has(name)) shared.set(name, shared.get(twin) ?? placeOf(twin));
    }
  }
  return { shared, similar };
}

function plainText(fullName, definitions) {
  return declaration(fullName, definitions[fullName], {
    module: placeOf(fullName).module,
    definitions,
    imports: new Map(),
  });
}

/** Removes each type that refers to a type of its module that is not equal itself. */
function removeDependents(equal, definitions) {
  const before = equal.size;
  for (const name of equal.keys()) {
    const { module } = placeOf(name);
    const refs = refsOf(definitions[name].fields ?? {}).filter((ref) => placeOf(ref).module === module);
    if (!refs.every((ref) => equal.has(ref))) equal.delete(name);
  }
  if (equal.size < before) removeDependents(equal, definitions);
}

function refsOf(value) {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === 'ref' ? [inner] : refsOf(inner)));
}

function declaration(fullName, definition, context) {
  const { name } = placeOf(fullName);
  if (aliases[fullName]) return `export type ${name} = ${aliases[fullName]};\n`;
  const fields = Object.entries(definition.fields ?? {});
  if (fields.length === 0) return `export type ${name} = Record<string, never>;\n`;
  const { heritage, inherited } = inheritance(fullName, context);
  const required = new Set(definition.required ?? []);
  // The server always sends the metadata of a kind, and refuses objects without it.
  if (definition.gvk && definition.fields.metadata) required.add('metadata');
  const own = fields.filter(([field]) => !inherited.has(field));
  const lines = own.map(([field, type]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(field) ? field : JSON.stringify(field);
    return `  ${key}${required.has(field) ? '' : '?'}: ${typeText(type, context)};\n`;
  });
  return `export interface ${name}${heritage} {\n${lines.join('')}}\n`;
}

/** What a declaration extends, and the fields that it has from there. */
function inheritance(fullName, context) {
  const fieldsOf = (name) => Object.entries(context.definitions[name].fields ?? {});
  const base = baseTypes[fullName];
  if (base !== undefined) {
    return { heritage: ` extends ${placeOf(base).name}`, inherited: new Set(fieldsOf(base).map(([field]) => field)) };
  }
  const twin = context.similar?.get(fullName);
  const isOwn = ([, type]) => refsOf(type).some((ref) => isOwnType(ref, context));
  const own = twin === undefined ? [] : fieldsOf(fullName).filter(isOwn);
  const isPlain = own.length === 0 || own.length === fieldsOf(fullName).length || context.shared.has(twin);
  if (isPlain) return { heritage: '', inherited: new Set() };
  const { module, name } = placeOf(twin);
  const version = module.slice(module.lastIndexOf('-') + 1);
  const alias = `${name}${version[0].toUpperCase()}${version.slice(1)}`;
  addName(context.imports, { module, name: `${name} as ${alias}` });
  const replaced = own.map(([field]) => JSON.stringify(field).replaceAll('"', "'")).join(' | ');
  const inherited = fieldsOf(fullName).filter((entry) => !isOwn(entry));
  return { heritage: ` extends Omit<${alias}, ${replaced}>`, inherited: new Set(inherited.map(([field]) => field)) };
}

function isOwnType(ref, { module, shared }) {
  return placeOf(ref).module === module && !shared.has(ref);
}

function typeText(type, context) {
  if (type.ref) return refText(type.ref, context);
  if (type.items) {
    const items = typeText(type.items, context);
    return items.includes(' ') ? `(${items})[]` : `${items}[]`;
  }
  if (type.map) return `Record<string, ${typeText(type.map, context)}>`;
  return scalars[type.type] ?? 'unknown';
}

function refText(ref, { module, shared, imports }) {
  const place = shared?.get(ref) ?? placeOf(ref);
  if (place.module !== module) addName(imports, place);
  return place.name;
}

function addName(byModule, { module, name }) {
  byModule.set(module, (byModule.get(module) ?? new Set()).add(name));
}

function typeLines(keyword, byModule) {
  return [...byModule]
    .sort()
    .map(([module, names]) => `${keyword} type { ${[...names].sort().join(', ')} } from './${module}.js';\n`);
}
