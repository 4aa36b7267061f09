import { readFileSync } from 'node:fs';
import { placeOf } from './facts.mjs';

/** The values of typed string enums, by definition and field, from OpenAPI. */
export function* enumFiles({ definitions }) {
  const places = new Map(Object.keys(definitions).map((name) => [short(name), definitions[name]]));
  const found = new Map();
  for (const { values, fields, line } of readEnums()) {
    for (const pattern of fields) {
      const matching = fieldsMatching(pattern, places);
      if (matching.length === 0) throw new Error(`enums.txt: no string field ${pattern} in: ${line}`);
      for (const [definition, field] of matching) {
        const ofDefinition = found.get(definition) ?? new Map();
        if (ofDefinition.has(field)) throw new Error(`enums.txt: ${definition}.${field} stands there twice`);
        found.set(definition, ofDefinition.set(field, values));
      }
    }
  }
  const lines = [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([definition, fields]) => {
      const entries = [...fields]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([field, values]) => `${field}: ${list(values)}`);
      return `  '${definition}': { ${entries.join(', ')} },\n`;
    });
  yield [
    'packages/api/src/generated/enums.ts',
    `/** Definition → field → the values of its typed string enum; of a list or a map, those of its elements. */\nexport const enumValues: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {\n${lines.join('')}};\n`,
  ];
}

function short(name) {
  const place = placeOf(name);
  return `${place.module}/${place.name}`;
}

function list(values) {
  return `[${values.map((value) => `'${value}'`).join(', ')}]`;
}

/** `admissionregistration-…/MatchResources.matchPolicy` → the fields of that name that are strings, or hold strings. */
function fieldsMatching(pattern, places) {
  const [definition, field] = pattern.split('.');
  const [module, name] = definition.split('/');
  const isMeant = (place) =>
    module.endsWith('*') ? place.startsWith(module.slice(0, -1)) && place.endsWith(`/${name}`) : place === definition;
  return [...places].flatMap(([place, { fields = {} }]) => {
    const type = fields[field];
    const element = type?.items ?? type?.map ?? type;
    return isMeant(place) && element?.type === 'string' ? [[place, field]] : [];
  });
}

/** Not in the facts: `VALUE …: FIELD …`, one enum a line. */
function readEnums() {
  const text = readFileSync(new URL('./enums.txt', import.meta.url), 'utf8');
  return text.split('\n').flatMap((whole) => {
    const line = whole.replace(/#.*/, '').trim();
    if (line === '') return [];
    const [values, fields] = line.split(/:\s+/).map((part) => part.split(/\s+/));
    const plain = values.map((value) => (value === '""' ? '' : value));
    if (!fields || plain.join() !== [...plain].sort().join())
      throw new Error(`enums.txt: values are not sorted: ${line}`);
    return [{ values: plain, fields, line }];
  });
}
