import { placeOf } from './facts.mjs';

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

/** One file of interfaces a group version. */
export function* typeFiles({ definitions, modules }) {
  for (const [module, names] of modules) {
    const imports = new Map();
    const body = names.map((name) => declaration(name, definitions[name], { module, imports })).join('\n');
    yield [`packages/api/src/generated/types/${module}.ts`, `${importLines(imports)}${body}`];
  }
  const modulesBut = [...modules.keys()].filter((module) => module !== 'core-v1' && module !== 'meta-v1').sort();
  const namespaces = ['core-v1', 'meta-v1', ...modulesBut]
    .map((module) => `export type * as ${module.replace(/-/g, '')} from './types/${module}.js';\n`)
    .join('');
  yield ['packages/api/src/generated/types.ts', namespaces];
}

function declaration(fullName, definition, context) {
  const { name } = placeOf(fullName);
  if (aliases[fullName]) return `export type ${name} = ${aliases[fullName]};\n`;
  const fields = Object.entries(definition.fields ?? {});
  if (fields.length === 0) return `export type ${name} = Record<string, never>;\n`;
  const required = new Set(definition.required ?? []);
  // The server always sends the metadata of a kind, and refuses objects without it.
  if (definition.gvk && definition.fields.metadata) required.add('metadata');
  const lines = fields.map(([field, type]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(field) ? field : JSON.stringify(field);
    return `  ${key}${required.has(field) ? '' : '?'}: ${typeText(type, context)};\n`;
  });
  return `export interface ${name} {\n${lines.join('')}}\n`;
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

function refText(ref, { module, imports }) {
  const place = placeOf(ref);
  if (place.module === module) return place.name;
  imports.set(place.module, (imports.get(place.module) ?? new Set()).add(place.name));
  return place.name;
}

function importLines(imports) {
  const lines = [...imports]
    .sort()
    .map(([module, names]) => `import type { ${[...names].sort().join(', ')} } from './${module}.js';\n`);
  return lines.length === 0 ? '' : `${lines.join('')}\n`;
}
