import { formatAge } from '@coracle/apimachinery';
import { CommandError, throwCollected } from '../command/command-error.js';
import { type Context, print, usageError, warn } from '../command/context.js';
import { messageOf } from '../command/format-error.js';
import { customColumnsPrinter, parseColumns, parseColumnsFile } from '../printers/custom-columns.js';
import type { ObjectPrinter } from '../printers/object-printer.js';
import { formatPrinter, templateFormats } from '../printers/print-flags.js';
import { findsAny, parseSortPath, sortBy } from '../printers/sort-objects.js';
import { isTable, kindPrefixOf, plainTable, TablePrinter } from '../printers/table-printer.js';
import { type FindOptions, type Found, findResources } from '../resources/find-resources.js';
import { type Info, kindName } from '../resources/info.js';
import { filesOf } from '../resources/read-manifests.js';
import { tableAccept } from '../resources/table-accept.js';
import { type Fields, listAt, recordsAt } from '../values.js';

const formats = ['custom-columns', 'custom-columns-file', 'json', 'kyaml', 'name', 'wide', 'yaml', ...templateFormats];

export async function run(context: Context): Promise<void> {
  const { flags, args } = context;
  const filenames = flags.strings('filename');
  if (flags.changed('raw')) return raw(context);
  if (args.length === 0 && filenames.length === 0 && flags.string('kustomize') === '') {
    warn(
      context,
      'You must specify the type of resource to get. Use "kubectl api-resources" for a complete list of supported resources.\n',
    );
    throw usageError(
      context,
      'Required resource not specified.\nUse "kubectl explain <resource>" for a detailed description of that resource (e.g. kubectl explain pods).',
    );
  }
  checkFlags(context);
  if (flags.bool('watch') || flags.bool('watch-only')) {
    const { watch } = await import('./get-watch.js');
    return watch(context);
  }
  if (flags.string('output') === 'tree') {
    const { printTree } = await import('./get-tree.js');
    return printTree(context);
  }
  const options = await findOptionsOf(context);
  return isHumanReadable(context) ? printTables(context, options) : printObjects(context, options);
}

async function raw(context: Context): Promise<void> {
  const { flags, args } = context;
  if (args.length > 0) throw new CommandError('arguments may not be passed when --raw is specified');
  if (flags.string('output') !== '') throw new CommandError('--raw and --output are mutually exclusive');
  const { sendRaw } = await import('../resources/raw-request.js');
  await sendRaw(context, 'GET');
}

function checkFlags({ flags }: Context): void {
  const output = flags.string('output');
  if (flags.bool('show-labels') && output !== '' && output !== 'wide')
    throw new CommandError(`--show-labels option cannot be used with ${output.split('=', 1)[0]} printer`);
  const watches = flags.bool('watch') || flags.bool('watch-only');
  if (flags.bool('output-watch-events') && !watches)
    throw new CommandError('--output-watch-events option can only be used with --watch or --watch-only');
}

export function isHumanReadable({ flags }: Context): boolean {
  const output = flags.string('output');
  return (output === '' && flags.string('template') === '') || output === 'wide';
}

/** The request from the arguments and flags. */
export async function findOptionsOf(context: Context): Promise<FindOptions> {
  const { flags, args, factory } = context;
  const { namespace, enforced } = await factory.namespace();
  const subresource = flags.string('subresource');
  if (subresource !== '' && !isNamed(args) && flags.strings('filename').length === 0)
    throw new CommandError('subresource cannot be used when bulk resources are specified');
  const sorts = flags.string('sort-by') !== '';
  const tables = isHumanReadable(context) && flags.bool('server-print');
  return {
    args,
    filenames: flags.strings('filename'),
    kustomize: flags.string('kustomize'),
    recursive: flags.bool('recursive'),
    namespace,
    enforceNamespace: enforced,
    allNamespaces: flags.bool('all-namespaces'),
    labelSelector: flags.string('selector'),
    fieldSelector: flags.string('field-selector'),
    listsTypes: true,
    chunkSize: sorts ? 0 : flags.number('chunk-size'),
    latest: true,
    subresource,
    ignoreNotFound: flags.bool('ignore-not-found'),
    validate: true,
    ...(tables && { accept: tableAccept, keepLists: true, ...(sorts && { query: { includeObject: 'Object' } }) }),
  };
}

function isNamed(args: readonly string[]): boolean {
  return args.some((arg) => arg.includes('/')) || args.length > 1;
}

// ------------------------------------------------------------------------------------------------------------ tables

async function printTables(context: Context, options: FindOptions): Promise<void> {
  const { flags } = context;
  const sortPath = flags.string('sort-by') === '' ? undefined : parseSortPath(flags.string('sort-by'));
  const { infos, errors } = await findResources(context.factory, options);
  const groups = groupByMapping(context, infos);
  const showKind = flags.bool('show-kind') || groups.length > 1;
  let printed = false;
  for (const { info, tables } of groups) {
    const sorted = sortPath ? tables.map((table) => sortRows(table, sortPath)) : tables;
    if (sorted.every((table) => listAt(table, 'rows').length === 0)) continue;
    const printer = new TablePrinter({
      ...tableOptions(context),
      ...(showKind && { kindPrefix: prefixOf(info, sorted) }),
      ...(options.allNamespaces && info.mapping?.namespaced && { withNamespace: true }),
    });
    print(context, `${printed ? '\n' : ''}${printer.print(sorted)}`);
    printed = true;
  }
  if (!printed && errors.length === 0 && !flags.bool('ignore-not-found')) sayNothingFound(context, infos, options);
  throwCollected(errors);
}

export function tableOptions({ flags }: Context): ConstructorParameters<typeof TablePrinter>[0] {
  return {
    noHeaders: flags.bool('no-headers'),
    wide: flags.string('output') === 'wide',
    showLabels: flags.bool('show-labels'),
    labelColumns: flags.strings('label-columns'),
  };
}

function prefixOf({ mapping }: Info, tables: readonly Fields[]): string {
  const row = tables.flatMap((table) => recordsAt(table, 'rows'))[0];
  return mapping ? kindName(mapping.kind, mapping.group) : kindPrefixOf((row?.['object'] ?? {}) as Fields);
}

interface Group {
  readonly info: Info;
  readonly tables: Fields[];
}

/** Tables of the same resource that follow each other are printed as one. */
function groupByMapping(context: Context, infos: readonly Info[]): Group[] {
  const groups: Group[] = [];
  for (const info of infos) {
    const last = groups.at(-1);
    const table = tableOf(context, info);
    if (last && last.info.mapping === info.mapping) last.tables.push(table);
    else groups.push({ info, tables: [table] });
  }
  return groups;
}

/** The server's table, or one of names and ages where it made none. */
export function tableOf({ host }: Context, { object = {} }: Info): Fields {
  if (isTable(object)) return object;
  const objects = Array.isArray(object['items']) ? recordsAt(object, 'items') : [object];
  return plainTable(objects, (timestamp) => formatAge(timestamp, host.clock.now()));
}

/** If no object has the field, nothing is sorted or shown. */
function sortRows(table: Fields, path: ReturnType<typeof parseSortPath>): Fields {
  const rows = recordsAt(table, 'rows');
  const objects = rows.map((row) => row['object']);
  if (!findsAny(path, objects)) return { ...table, rows: [] };
  return { ...table, rows: sortBy(rows, path, (row) => row['object']) };
}

function sayNothingFound(context: Context, infos: readonly Info[], options: FindOptions): void {
  const namespaced = infos.length === 0 || infos.some(({ mapping }) => mapping?.namespaced);
  const where = options.allNamespaces || !namespaced ? '' : ` in ${options.namespace} namespace.`;
  warn(context, `No resources found${where}`);
}

// ------------------------------------------------------------------------------------------------------- other forms

async function printObjects(context: Context, options: FindOptions): Promise<void> {
  const { flags } = context;
  const printer = await objectPrinterOf(context);
  const sortPath = flags.string('sort-by') === '' ? undefined : parseSortPath(flags.string('sort-by'));
  const found = await findResources(context.factory, options);
  const infos = sortPath ? sortBy(found.infos, sortPath, ({ object }) => object) : found.infos;
  const text = textOf(printer, { ...found, infos });
  if (text !== undefined) print(context, text);
  throwCollected(found.errors);
}

function textOf(printer: ObjectPrinter, { infos, errors, single }: Found): string | undefined {
  if (single) return infos[0]?.object && printer.print(infos[0].object);
  if (infos.length === 0 && errors.length > 0) return undefined;
  const items = infos.map(({ object }) => object);
  return printer.print({ apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } });
}

export async function objectPrinterOf(context: Context): Promise<ObjectPrinter> {
  const { flags } = context;
  const output = flags.string('output') || 'go-template';
  const [format = '', ...rest] = output.split('=');
  const value = rest.join('=') || flags.string('template');
  if (format === 'custom-columns') return customColumnsPrinter(parseColumns(value), flags.bool('no-headers'));
  if (format === 'custom-columns-file')
    return customColumnsPrinter(parseColumnsFile(await readColumns(context, value)), flags.bool('no-headers'));
  return formatPrinter(context, output, { allowed: formats });
}

async function readColumns({ host }: Context, path: string): Promise<string> {
  try {
    return new TextDecoder().decode(await filesOf(host).read(path));
  } catch (error) {
    throw new CommandError(`error reading template ${path}, ${messageOf(error)}`);
  }
}
