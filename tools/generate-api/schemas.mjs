import { placeOf } from './facts.mjs';
import { otherVersions } from './other-versions.mjs';

/**
 * One file of schema lines a group version. A definition is one string, parsed on first use
 * (packages/api/src/schema-text.ts explains the notation).
 */
export function* schemaFiles(facts) {
  const texts = new Map();
  for (const [module, names] of facts.modules)
    texts.set(module, new Map(names.map((name) => [placeOf(name).name, definitionText(name, facts)])));
  const shared = new Map([...facts.modules.keys()].map((module) => [module, sharedDefinitions(module, texts)]));
  for (const [module, names] of facts.modules) {
    const elsewhere = new Set([...shared.get(module).values()].flat());
    const lines = [...texts.get(module)]
      .filter(([name]) => !elsewhere.has(name))
      .map(([name, text]) => `  ${name}: ${JSON.stringify(text)},\n`);
    const protoPackage = protoPackageOf(names[0]);
    yield [
      `packages/api/src/generated/schemas/${module}.ts`,
      `export const protoPackage = ${JSON.stringify(protoPackage)};\n\nexport const definitions: Readonly<Record<string, string>> = {\n${lines.join('')}};\n`,
    ];
  }
  const modules = [...facts.modules.keys()].sort();
  const variable = (module) => module.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
  const imports = modules.map(
    (module) => `import { definitions as ${variable(module)} } from './schemas/${module}.js';\n`,
  );
  const entries = modules.map((module) => `  '${module}': ${variable(module)},\n`);
  yield [
    'packages/api/src/generated/schemas.ts',
    `${imports.join('')}\n/** Module → definition → its schema line. */\nexport const schemaText: Readonly<Record<string, Readonly<Record<string, string>>>> = {\n${entries.join('')}};\n\n${sharedTable(shared)}`,
  ];
  yield ['packages/api/src/generated/definition-names.ts', definitionNames(facts)];
}

/** Module → names of the definitions whose lines are equal in it, so that they are written there alone. */
function sharedDefinitions(module, texts) {
  const shared = new Map();
  const own = new Map(texts.get(module));
  for (const other of otherVersions(module, texts)) {
    const equal = [...own.keys()].filter((name) => own.get(name) === texts.get(other).get(name));
    for (const name of equal) own.delete(name);
    if (equal.length > 0) shared.set(other, equal);
  }
  return shared;
}

function sharedTable(shared) {
  const lines = [];
  for (const [module, others] of [...shared].sort()) {
    const entries = [...others].map(([other, names]) => `'${other}': '${names.join(' ')}'`);
    if (entries.length > 0) lines.push(`  '${module}': { ${entries.join(', ')} },\n`);
  }
  return `/** Module → module of another version of the group → definitions whose schema lines stand there. */\nexport const sharedDefinitions: Readonly<Record<string, Readonly<Record<string, string>>>> = {\n${lines.join('')}};\n`;
}

/** Full definition names, which OpenAPI and protobuf use, by module: only the prefix is stored. */
function definitionNames({ modules }) {
  const lines = [];
  for (const [module, names] of [...modules].sort()) {
    const byPrefix = new Map();
    for (const name of names) {
      const at = name.lastIndexOf('.');
      byPrefix.set(name.slice(0, at), [...(byPrefix.get(name.slice(0, at)) ?? []), name.slice(at + 1)]);
    }
    const [main, ...others] = [...byPrefix].sort((a, b) => b[1].length - a[1].length);
    lines.push(`  '${module}': '${main[0]}',\n`);
    for (const [prefix, members] of others)
      for (const member of members) lines.push(`  '${module}/${member}': '${prefix}',\n`);
  }
  return `/** Prefix of the full definition name, by module, or by module and name where it differs from its module's. */\nexport const definitionPrefix: Readonly<Record<string, string>> = {\n${lines.join('')}};\n`;
}

const scalarNames = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'quantity',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'time',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'microTime',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'any',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Patch': 'any',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'any',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'intOrString',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': 'any',
};

/** Definitions whose JSON is one of several types, each a field of the protobuf message. */
const unions = {
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray':
    'object:JSONSchemaProps#1 list:[]JSONSchemaProps#2',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool':
    'boolean:boolean+#1 object:JSONSchemaProps#2',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray':
    'object:JSONSchemaProps#1 list:[]string#2',
};

function definitionText(fullName, facts) {
  if (scalarNames[fullName]) return `=${scalarNames[fullName]}`;
  if (unions[fullName]) return `=union ${unions[fullName]}`;
  const definition = facts.definitions[fullName];
  const { module, name } = placeOf(fullName);
  const required = new Set(definition.required ?? []);
  const fields = Object.entries(definition.fields ?? {}).map(([field, type]) => {
    const presence = presenceOf({ module, name, field, type, required }, facts);
    const marks = [
      required.has(field) ? '*' : '',
      presenceSigns[presence],
      ...attributes(type),
      protoMark(fullName, field, facts),
    ];
    return `${field}:${typeText(type, module)}${marks.join('')}`;
  });
  const atomic = definition.mapType === 'atomic' ? ['!atomic'] : [];
  return [...atomic, ...fields].join(' ');
}

const presenceSigns = { given: '', nonzero: '-', always: '+', null: '~' };

/**
 * Lists and maps drop their empty value and required values are always written, unless a presence file says otherwise.
 */
function presenceOf({ module, name, field, type, required }, { presence }) {
  const stated = presence.get(`${module}/${name}.${field}`);
  if (stated) return stated;
  if (required.has(field)) return 'always';
  if (type.items || type.map) return 'nonzero';
  return 'given';
}

function typeText(type, module) {
  if (type.ref) {
    // Free-form values keep their name: OpenAPI distinguishes them.
    if (scalarNames[type.ref] && scalarNames[type.ref] !== 'any') return scalarNames[type.ref];
    const place = placeOf(type.ref);
    return place.module === module ? place.name : `${place.module}/${place.name}`;
  }
  if (type.items) return `[]${typeText(type.items, module)}`;
  if (type.map) return `{}${typeText(type.map, module)}`;
  if (type.type === 'integer') return type.format ?? 'int64';
  if (type.type === 'number') return 'double';
  if (type.type === 'string') return type.format === 'byte' ? 'bytes' : 'string';
  return type.type === 'boolean' ? 'boolean' : 'any';
}

function attributes(type) {
  const marks = [];
  if (type.listType) marks.push(type.listType === 'map' ? `!map(${type.listMapKeys.join(',')})` : `!${type.listType}`);
  if (type.mapType === 'atomic') marks.push('!atomic');
  if (type.patchStrategy) marks.push(`!patch(${[type.mergeKey ?? '', ...type.patchStrategy.split(',')].join(',')})`);
  return marks;
}

function protoPackageOf(fullName) {
  return fullName
    .replace(/\.[^.]+$/, '')
    .replace(/^io\.k8s\./, 'k8s.io.')
    .replaceAll('-', '_');
}

/** `#7`, or `#1.7` for a field of an embedded message, or of one that only wraps a list. */
function protoMark(fullName, field, { definitions, protobuf }) {
  const package_ = protoPackageOf(fullName);
  const message = protobuf[package_]?.[fullName.slice(fullName.lastIndexOf('.') + 1)];
  if (!message) return '';
  const names = Object.keys(definitions[fullName].fields ?? {});
  const path = pathTo(protoName(field), message, { package_, protobuf, taken: new Set(names.map(protoName)) });
  return path ? `#${path.join('.')}` : '';
}

function pathTo(target, message, context) {
  for (const [name, [number, type]] of Object.entries(message)) {
    const inner = findMessage(type, context);
    if (protoName(name) === target) return isListWrapper(inner) ? [number, inner.message.items[0]] : [number];
    if (!inner || context.taken.has(protoName(name))) continue;
    const rest = pathTo(target, inner.message, { ...context, package_: inner.package_ });
    if (rest) return [number, ...rest];
  }
  return undefined;
}

/** The two spellings of a field differ in case and punctuation: `x-kubernetes-map-type` is `xKubernetesMapType`. */
function protoName(name) {
  return name.replace(/[$-]/g, '').toLowerCase();
}

/** A message such as `Verbs`, which JSON writes as the list that it holds. */
function isListWrapper(inner) {
  return inner !== undefined && JSON.stringify(inner.message) === '{"items":[1,"repeated string"]}';
}

function findMessage(type, { package_, protobuf }) {
  const at = type.startsWith('.') ? type.lastIndexOf('.') : -1;
  const home = at < 0 ? package_ : type.slice(1, at);
  const message = protobuf[home]?.[type.slice(at + 1)];
  return message && { message, package_: home };
}
