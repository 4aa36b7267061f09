import { tablePrinterOf } from '@coracle/api';
import {
  gvkOf,
  type KubeList,
  type KubeObject,
  type ListMeta,
  type TablePrinter,
  writeJson,
} from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { inServedVersion } from '../conversion/conversion.js';
import type { ServedResource } from '../served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';
import { ChunkBuilder } from './concat.js';
import { comma, jsonOf, listTail } from './encode-json.js';
import type { OutputForm } from './output-form.js';
import { partialJson, partialOf } from './partial-object.js';

/** The part of each object that is sent with its row: `includeObject`. */
export type IncludedObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  readonly resource: ServedResource;
  readonly form: OutputForm;
  readonly include: IncludedObject;
  readonly now: () => Millis;
}

/** The table as a value. Column definitions are left out of all but the first event of a watch. */
export function tableValue(
  options: TableOptions,
  items: readonly StoredObject[],
  { metadata, withColumns = true }: { readonly metadata: ListMeta; readonly withColumns?: boolean },
): Record<string, unknown> {
  const { resource, form, now } = options;
  const printer = printerOf(resource);
  const rows = inOrder(items, resource).map((item) => {
    const object = printedObject(item, resource);
    const conditions = printer.conditions?.(object);
    return {
      cells: printer.cells(object, now()),
      ...(conditions && { conditions }),
      object: includedIn(options, item),
    };
  });
  const columnDefinitions = withColumns ? printer.columns : null;
  return { kind: 'Table', apiVersion: `meta.k8s.io/${form.asVersion}`, metadata, columnDefinitions, rows };
}

/** An object that is created for the response and not stored, such as a Scale, or a list of them. */
export function tableOfValue(
  { form, include, now }: TableOptions,
  value: KubeObject | KubeList<KubeObject>,
  printer: TablePrinter = printerOfValue(value),
): Record<string, unknown> {
  const objects = 'items' in value ? value.items : [value];
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${form.asVersion}`,
    metadata: { resourceVersion: value.metadata.resourceVersion ?? '' },
    columnDefinitions: printer.columns,
    rows: objects.map((object) => ({
      cells: printer.cells(object, now()),
      object: { None: null, Metadata: partialOf(object, form.asVersion), Object: object }[include],
    })),
  };
}

function printerOfValue(value: KubeObject | KubeList<KubeObject>): TablePrinter {
  const { group, kind } = gvkOf(value) ?? { group: '', kind: '' };
  return tablePrinterOf({ group, kind: kind.replace(/List$/, '') });
}

function includedIn({ resource, form, include }: TableOptions, item: StoredObject): object | null {
  if (include === 'None') return null;
  return include === 'Object' ? inServedVersion(resource, item.object) : partialOf(item.object, form.asVersion);
}

const encoder = new TextEncoder();
const rowTail = encoder.encode('}');
const nothing = encoder.encode('null');
/** For headers and cells: the objects of the rows are encoded already. */
const cellChunkBytes = 16 * 1024;

/** A list as a table in JSON. Each row is assembled from the object's bytes and its cached cells. */
export function jsonTable(options: TableOptions, items: readonly StoredObject[], metadata: ListMeta): Uint8Array[] {
  const { resource, form, include } = options;
  const now = options.now();
  const printer = printerOf(resource);
  const columnDefinitions = printer.columns;
  const head = { kind: 'Table', apiVersion: `meta.k8s.io/${form.asVersion}`, metadata, columnDefinitions };
  const builder = new ChunkBuilder(cellChunkBytes);
  builder.addText(`${JSON.stringify(head).slice(0, -1)},"rows":[`);
  let first = true;
  for (const item of inOrder(items, resource)) {
    if (!first) builder.add(comma);
    first = false;
    builder.addText(cellsJson(item, resource, now));
    if (include === 'None') builder.add(nothing);
    else builder.addShared(include === 'Object' ? jsonOf(resource, item) : partialJson(item, form.asVersion));
    builder.add(rowTail);
  }
  builder.add(listTail);
  return builder.finish();
}

/** The printer of a resource: its own, or that of its kind. */
function printerOf({ printer, stored }: ServedResource): TablePrinter {
  return printer ?? tablePrinterOf(stored);
}

/** Built-in kinds are printed in the stored version, custom ones in the requested version. */
function printedObject(item: StoredObject, resource: ServedResource): KubeObject {
  return resource.printer ? inServedVersion(resource, item.object) : item.object;
}

function inOrder(items: readonly StoredObject[], resource: ServedResource): readonly StoredObject[] {
  const { compare } = printerOf(resource);
  if (!compare) return items;
  return [...items].sort((left, right) => compare(printedObject(left, resource), printedObject(right, resource)));
}

/** The JSON of a row up to its object, split at the cells that change with time. */
interface RowText {
  printer: TablePrinter;
  pieces: readonly string[];
}

function cellsJson(item: StoredObject, resource: ServedResource, now: Millis): string {
  const printer = printerOf(resource);
  const object = printedObject(item, resource);
  const { pieces } = rowText(item, resource, printer);
  let json = pieces[0] as string;
  for (let index = 0; index < printer.timed.length; index++) {
    json += writeJson(printer.cell(object, printer.timed[index] as number, now)) + pieces[index + 1];
  }
  return json;
}

/** Cached with the object, until its columns change. */
function rowText(item: StoredObject, resource: ServedResource, printer: TablePrinter): RowText {
  const row = item.form<RowText>(resource.printer ? `row ${resource.apiVersion}` : 'row', () => ({
    printer,
    pieces: piecesOf(printedObject(item, resource), printer),
  }));
  if (row.printer !== printer) {
    row.printer = printer;
    row.pieces = piecesOf(printedObject(item, resource), printer);
  }
  return row;
}

function piecesOf(object: KubeObject, printer: TablePrinter): string[] {
  const pieces: string[] = [];
  let piece = '{"cells":[';
  printer.columns.forEach((_, column) => {
    if (column > 0) piece += ',';
    if (printer.timed.includes(column)) {
      pieces.push(piece);
      piece = '';
    } else piece += writeJson(printer.cell(object, column, 0));
  });
  const conditions = printer.conditions?.(object);
  return [...pieces, `${piece}]${conditions ? `,"conditions":${JSON.stringify(conditions)}` : ''},"object":`];
}
