import type { ResourceInfo } from '@coracle/apimachinery';
import { type Fields, isRecord, recordAt, textAt, textsAt } from '../values.js';
import { type OpenApiSchemas, resolved } from './openapi-schemas.js';

export interface ExplainRequest {
  readonly mapping: ResourceInfo;
  readonly path: readonly string[];
  readonly recursive: boolean;
  /** The form of the older OpenAPI: no names of types. */
  readonly older: boolean;
}

export interface Explanation {
  readonly text: string;
  /** The part of the path that there is no field for. */
  readonly missing?: string;
}

/** Describes a resource or one of its fields. */
export function explainSchema(schemas: OpenApiSchemas, request: ExplainRequest): Explanation {
  const { mapping, path, older } = request;
  const head = headOf(mapping, older);
  let schema = schemas.root;
  let fieldType = '';
  for (const name of path) {
    const properties = propertiesOf(schemas, schema);
    const next = properties[name];
    if (!next) return { text: head, missing: name };
    fieldType = typeOf(schemas, next, older);
    schema = next;
  }
  const { schema: target } = resolved(schemas, schema);
  const name = path.at(-1);
  const title = older ? 'RESOURCE' : 'FIELD';
  const field =
    name === undefined
      ? ''
      : older
        ? `${title}: ${name} <${fieldType}>\n\n`
        : `${title}: ${name} <${fieldType}>\n\n${enumText(target)}\n`;
  const description = textAt(target, 'description') || '<empty>';
  const fields = fieldsText(schemas, schema, { ...request, depth: 0 });
  const body = older
    ? `DESCRIPTION:\n${indented(wrapped(description, 75), 5)}\n`
    : `DESCRIPTION:\n${indented(wrapped(description, 76), 4)}\n${description === '<empty>' ? '' : '    \n'}`;
  const list = fields === '' ? (older ? '' : '\n') : `${older ? '\n' : ''}FIELDS:\n${fields}\n`;
  return { text: `${head}${field}${body}${list}` };
}

function headOf({ group, version, kind }: ResourceInfo, older: boolean): string {
  if (older) return `KIND:     ${kind}\nVERSION:  ${group === '' ? version : `${group}/${version}`}\n\n`;
  return `${group === '' ? '' : `GROUP:      ${group}\n`}KIND:       ${kind}\nVERSION:    ${version}\n\n`;
}

/** The fields of an object, of the items of a list, or of the values of a map. */
function propertiesOf(schemas: OpenApiSchemas, schema: Fields): Readonly<Record<string, Fields>> {
  const target = innermost(schemas, schema);
  return recordAt(target, 'properties') as Record<string, Fields>;
}

function innermost(schemas: OpenApiSchemas, schema: Fields): Fields {
  let { schema: current } = resolved(schemas, schema);
  for (;;) {
    const inner = isRecord(current['items'])
      ? current['items']
      : isRecord(current['additionalProperties'])
        ? current['additionalProperties']
        : undefined;
    if (!inner) return current;
    current = resolved(schemas, inner).schema;
  }
}

interface FieldsRequest extends ExplainRequest {
  readonly depth: number;
}

const deepest = 24;

function fieldsText(schemas: OpenApiSchemas, schema: Fields, request: FieldsRequest): string {
  const target = innermost(schemas, schema);
  const properties = recordAt(target, 'properties') as Record<string, Fields>;
  const required = textsAt(target, 'required');
  const pad = ' '.repeat((request.older ? 3 : 2) + 2 * request.depth);
  return Object.keys(properties)
    .sort()
    .map((name) => {
      const property = properties[name] ?? {};
      const line = `${pad}${name}\t<${typeOf(schemas, property, request.older)}>${required.includes(name) ? ' -required-' : ''}\n`;
      if (request.recursive)
        return (
          line +
          enumText(resolved(schemas, property).schema, pad) +
          (request.depth < deepest ? fieldsText(schemas, property, { ...request, depth: request.depth + 1 }) : '')
        );
      const { schema: described } = resolved(schemas, property);
      const description = textAt(property, 'description') || textAt(described, 'description') || '<no description>';
      return `${line}${enumText(described, pad)}${indented(wrapped(description, 78 - pad.length), pad.length + 2)}\n\n`;
    })
    .join('');
}

function enumText(schema: Fields, pad = ''): string {
  const values = textsAt(schema, 'enum');
  return values.length === 0 ? '' : `${pad}enum: ${values.join(', ')}\n`;
}

/** `string`, `[]Container`, `map[string]Quantity`. */
export function typeOf(schemas: OpenApiSchemas, schema: Fields, older = false): string {
  const { schema: target, name } = resolved(schemas, schema);
  const type = textAt(target, 'type');
  if (type === 'array') return `[]${typeOf(schemas, recordAt(target, 'items'), older)}`;
  if (isRecord(target['additionalProperties']))
    return `map[string]${typeOf(schemas, target['additionalProperties'], older)}`;
  if (name !== undefined && (type === '' || type === 'object'))
    return older ? (target['properties'] || type === 'object' ? 'Object' : 'string') : name;
  if (type === 'object' || (type === '' && target['properties'])) return 'Object';
  if (type === '' && target['x-kubernetes-int-or-string']) return 'IntOrString';
  return type || 'Object';
}

function indented(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => ' '.repeat(width) + line)
    .join('\n');
}

/** Wraps words into lines of a width; paragraphs stay separate. */
function wrapped(text: string, width: number): string {
  return text
    .split('\n')
    .map((paragraph) => {
      const lines: string[] = [];
      for (const word of paragraph.split(' ')) {
        const last = lines.at(-1);
        if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
        else lines[lines.length - 1] = `${last} ${word}`;
      }
      return lines.join('\n');
    })
    .join('\n');
}
