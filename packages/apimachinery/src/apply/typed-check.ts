import { isRecord } from '@coracle/base';
import { formatGoValue } from '../patch/go-format.js';
import type { ListSchema, ObjectSchema, ScalarType, Schema } from '../schema.js';
import { fieldElement, formatElement, formatPath, valueElement } from './path-element.js';
import { keyDefault, shapeOf } from './shape.js';

/**
 * Errors of an applied configuration that prevent merging: wrong types, unknown fields, list items without a key or
 * with the same one. Each problem is a sentence that begins with its path. `null` fits every type.
 */
export function typeProblems(config: unknown, schema: Schema): string[] {
  const problems: Problems = { path: [], found: [] };
  check(config, schema, problems);
  return problems.found;
}

/** Several problems as one message. */
export function formatProblems(problems: readonly string[]): string {
  return problems.length === 1
    ? (problems[0] as string)
    : ['errors:', ...problems.map((text) => `  ${text}`)].join('\n');
}

interface Problems {
  /** The elements that lead to the value being checked. */
  readonly path: string[];
  readonly found: string[];
}

function check(value: unknown, schema: Schema, problems: Problems): void {
  if (value === null || value === undefined) return;
  switch (schema.type) {
    case 'any':
      if (schema.applied) checkScalar(value, schema.applied, problems);
      return;
    case 'object':
    case 'map':
      if (!isRecord(value)) report(problems, `expected map, got &{${formatGoValue(value)}}`);
      else for (const name in value) checkField(name, value[name], schema, problems);
      return;
    case 'list':
      if (Array.isArray(value)) checkItems(value, schema, problems);
      else report(problems, `expected list, got &{${formatGoValue(value)}}`);
      return;
    default:
      checkScalar(value, schema.type, problems);
  }
}

function checkField(
  name: string,
  value: unknown,
  schema: ObjectSchema | { type: 'map'; values: Schema },
  problems: Problems,
): void {
  problems.path.push(fieldElement(name));
  if (schema.type === 'map') check(value, schema.values, problems);
  else {
    const field = schema.fields.get(name);
    if (field) check(value, field.schema, problems);
    else if (!schema.preserveUnknown && !isTypeMeta(name, problems)) report(problems, 'field not declared in schema');
  }
  problems.path.pop();
}

/** The schema of a custom resource need not define the fields of every object. */
function isTypeMeta(name: string, { path }: Problems): boolean {
  return path.length === 1 && (name === 'apiVersion' || name === 'kind' || name === 'metadata');
}

function checkItems(list: readonly unknown[], schema: ListSchema, problems: Problems): void {
  const shape = shapeOf(schema);
  const seen = new Set<string>();
  const granular = shape.kind === 'set' || shape.kind === 'keyed';
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    const element = granular ? shape.elementOf(item) : `i:${index}`;
    if (element === undefined) report(problems, `element ${index}: ${whyNoElement(item, schema)}`);
    else {
      if (granular && seen.has(element)) report(problems, `duplicate entries for key ${formatElement(element)}`);
      if (granular) seen.add(element);
      problems.path.push(element);
      check(item, schema.items, problems);
      problems.path.pop();
    }
  }
}

function whyNoElement(item: unknown, schema: ListSchema): string {
  if (schema.listType === 'set') {
    if (item === null) return "associative list without keys has an element that's an explicit null";
    return Array.isArray(item)
      ? 'not supported: associative list with lists as elements'
      : "associative list without keys has an element that's a map type";
  }
  if (item === null) return 'associative list with keys may not have a null element';
  if (!isRecord(item)) return 'associative list with keys may not have non-map elements';
  const keys = (schema.keys ?? []).filter((key) => keyDefault(schema.items, key) === undefined);
  return `associative list with keys has an element that omits all key fields [${keys.map((key) => JSON.stringify(key)).join(' ')}] (and doesn't have default values for any key fields)`;
}

/** Valid JSON types of scalars, with upstream's names. */
const scalarRules: Readonly<Record<ScalarType, readonly [types: readonly string[], name: string]>> = {
  string: [['string'], 'string'],
  bytes: [['string'], 'string'],
  time: [['string'], 'string'],
  microTime: [['string'], 'string'],
  duration: [['string'], 'string'],
  boolean: [['boolean'], 'boolean'],
  int32: [['number'], 'numeric (int or float)'],
  int64: [['number'], 'numeric (int or float)'],
  double: [['number'], 'numeric (int or float)'],
  quantity: [['string', 'number', 'boolean'], 'any scalar'],
  intOrString: [['string', 'number', 'boolean'], 'any scalar'],
};

function checkScalar(value: unknown, type: ScalarType, problems: Problems): void {
  const [types, name] = scalarRules[type];
  if (types.includes(typeof value === 'bigint' ? 'number' : typeof value)) return;
  const text = typeof value === 'object' ? formatGoValue(value) : valueElement(value).slice(2);
  report(problems, `expected ${name}, got &value.valueUnstructured{Value:${text}}`);
}

function report({ path, found }: Problems, what: string): void {
  found.push(path.length === 0 ? what : `${formatPath(path)}: ${what}`);
}
