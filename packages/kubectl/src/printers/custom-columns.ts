import { formatTemplateValue, JsonPath } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { isRecord, listAt, textAt } from '../values.js';
import type { ObjectPrinter, Printable } from './object-printer.js';
import { TableWriter } from './tab-writer.js';

interface Column {
  readonly header: string;
  readonly path: JsonPath;
}

/** `NAME:.metadata.name,IMAGES:.spec.containers[*].image` */
export function parseColumns(spec: string): Column[] {
  if (spec === '') throw new CommandError('custom-columns format specified but no custom columns given');
  return spec.split(',').map((part) => {
    const colon = part.indexOf(':');
    if (colon < 0)
      throw new CommandError(`unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`);
    return { header: part.slice(0, colon), path: columnPath(part.slice(colon + 1)) };
  });
}

/** A file has a line of headers and a line of paths. */
export function parseColumnsFile(text: string): Column[] {
  const [headers = '', paths = ''] = text.split('\n');
  const names = headers.split(/\s+/).filter(Boolean);
  const templates = paths.split(/\s+/).filter(Boolean);
  if (names.length !== templates.length)
    throw new CommandError(
      `number of headers (${names.length}) and field specifications (${templates.length}) don't match`,
    );
  return names.map((header, i) => ({ header, path: columnPath(templates[i] ?? '') }));
}

function columnPath(text: string): JsonPath {
  try {
    return new JsonPath(relaxedPath(text), { allowMissing: true, indexesMustExist: false });
  } catch (error) {
    throw new CommandError((error as Error).message);
  }
}

/** Braces and the first dot may be left out: `metadata.name`, `.metadata.name`, `{.metadata.name}`. */
export function relaxedPath(text: string): string {
  if (text === '') return '{}';
  const match = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/.exec(text);
  if (!match)
    throw new CommandError(
      "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
    );
  return `{.${match[1] ?? match[2]}}`;
}

export function customColumnsPrinter(columns: readonly Column[], noHeaders: boolean): ObjectPrinter {
  const writer = new TableWriter();
  let hasHeader = noHeaders;
  return {
    print: (object) => {
      const header = hasHeader ? [] : [columns.map(({ header: name }) => name)];
      hasHeader = true;
      return writer.format([
        ...header,
        ...itemsOf(object).map((item) => columns.map((column) => cellOf(column, item))),
      ]);
    },
  };
}

function itemsOf(object: Printable): Printable[] {
  const isList = textAt(object, 'kind').endsWith('List') && Array.isArray(object['items']);
  return isList ? listAt(object, 'items').filter(isRecord) : [object];
}

function cellOf({ path }: Column, object: Printable): string {
  try {
    const values = path.find(object);
    return values.length === 0 ? '<none>' : values.map((value) => formatTemplateValue(value)).join(',');
  } catch {
    return '<none>';
  }
}
