import { type KubeObject, type ListMeta, parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { ServedResource } from '../registry/served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { OutputForm } from './output-form.js';
import { partialJson, partialOf } from './partial-object.js';

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, 1 only in wide tables. */
  readonly priority: number;
}

/** What people see of a kind: one row of cells for each object. */
export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  cells(object: KubeObject, now: Millis): readonly unknown[];
}

/** How much of each object goes with its row. */
export type IncludedObject = 'None' | 'Metadata' | 'Object';

const plainPrinter: TablePrinter = {
  columns: [
    {
      name: 'Name',
      type: 'string',
      format: 'name',
      description: 'Name must be unique within a namespace.',
      priority: 0,
    },
    { name: 'Age', type: 'string', format: '', description: 'The time since the object was created.', priority: 0 },
  ],
  cells: ({ metadata }, now) => [metadata.name ?? '', formatAge(metadata.creationTimestamp, now)],
};

/** The printer of a resource: its own, or name and age. */
export function printerOf(_resource: ServedResource): TablePrinter {
  return plainPrinter;
}

export interface TableOptions {
  readonly resource: ServedResource;
  readonly form: OutputForm;
  readonly include: IncludedObject;
  readonly now: Millis;
}

/** The table as a value. Column definitions may be left out of all but the first event of a watch. */
export function tableValue(
  { resource, form, include, now }: TableOptions,
  items: readonly StoredObject[],
  { metadata, withColumns = true }: { readonly metadata: ListMeta; readonly withColumns?: boolean },
): Record<string, unknown> {
  const printer = printerOf(resource);
  const rows = items.map(({ object }) => ({
    cells: printer.cells(object, now),
    ...(include !== 'None' && {
      object: include === 'Object' ? object : partialOf(object, form.asVersion),
    }),
  }));
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${form.asVersion}`,
    metadata,
    columnDefinitions: withColumns ? printer.columns : [],
    rows,
  };
}

const encoder = new TextEncoder();

/** The rows of a table in JSON, each put together from its cells and the bytes that its object already has. */
export function* tableRows(
  { resource, form, include, now }: TableOptions,
  items: readonly StoredObject[],
): Iterable<Uint8Array> {
  const printer = printerOf(resource);
  for (const item of items) {
    const cells = JSON.stringify(printer.cells(item.object, now));
    if (include === 'None') yield encoder.encode(`{"cells":${cells}}`);
    else {
      yield encoder.encode(`{"cells":${cells},"object":`);
      yield include === 'Object' ? item.bytes : partialJson(item, form.asVersion);
      yield closing;
    }
  }
}

const closing = encoder.encode('}');

/** What stands before the rows. */
export function tableHead({ resource, form }: TableOptions, metadata: ListMeta): Uint8Array {
  const head = {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${form.asVersion}`,
    metadata,
    columnDefinitions: printerOf(resource).columns,
  };
  return encoder.encode(`${JSON.stringify(head).slice(0, -1)},"rows":[`);
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** `5s`, `12m`, `3h10m`, `4d`: the shorter the time, the finer. */
export function formatAge(timestamp: string | undefined, now: Millis): string {
  const at = timestamp === undefined ? undefined : parseTime(timestamp);
  if (at === undefined) return '<unknown>';
  const age = now - at;
  if (age < -secondMs) return '<invalid>';
  if (age < 0) return '0s';
  if (age < 2 * minuteMs) return `${Math.floor(age / secondMs)}s`;
  if (age < 10 * minuteMs) return twoUnits(age, [minuteMs, 'm'], [secondMs, 's']);
  if (age < 3 * hourMs) return `${Math.floor(age / minuteMs)}m`;
  if (age < 8 * hourMs) return twoUnits(age, [hourMs, 'h'], [minuteMs, 'm']);
  if (age < 2 * dayMs) return `${Math.floor(age / hourMs)}h`;
  if (age < 8 * dayMs) return twoUnits(age, [dayMs, 'd'], [hourMs, 'h']);
  if (age < 2 * 365 * dayMs) return `${Math.floor(age / dayMs)}d`;
  if (age < 8 * 365 * dayMs) return twoUnits(age, [365 * dayMs, 'y'], [dayMs, 'd']);
  return `${Math.floor(age / (365 * dayMs))}y`;
}

type Unit = readonly [Millis, string];

function twoUnits(age: Millis, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((age % large) / small);
  return `${Math.floor(age / large)}${largeName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}
