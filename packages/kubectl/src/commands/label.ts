import { isLabelValue } from '@coracle/apimachinery';
import { CommandError, throwCollected } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { printerOf } from '../printers/print-flags.js';
import { dryRunOf, findOptions, writeParameters } from '../resources/common-flags.js';
import { findResources } from '../resources/find-resources.js';
import type { Info } from '../resources/info.js';
import { type MapChanges, parseChanges, splitChanges } from '../resources/key-value-arguments.js';
import { patchMetadata } from '../resources/patch-metadata.js';
import { type Fields, recordAt, stringMapAt, textAt } from '../values.js';

export async function run(context: Context): Promise<void> {
  const { flags, args, factory } = context;
  const { resources, changes: words } = splitChanges(args, 'label');
  const hasFiles = flags.strings('filename').length > 0 || flags.string('kustomize') !== '';
  const changes = parseLabelChanges(words);
  if (resources.length === 0 && !hasFiles)
    throw new CommandError('one or more resources must be specified as <resource> <name> or <resource>/<name>');
  if (words.length === 0 && !flags.bool('list')) throw new CommandError('at least one label update is required');
  const dryRun = dryRunOf(context);
  const options = await findOptions(context, { args: resources, latest: !flags.bool('local') });
  const { infos, errors } = await findResources(factory, options);
  const failures = [...errors];
  for (const info of infos) {
    try {
      await labelOne(context, info, { changes, dryRun, several: infos.length > 1 });
    } catch (error) {
      failures.push(error);
    }
  }
  throwCollected(failures);
}

function parseLabelChanges(words: readonly string[]): MapChanges {
  for (const word of words) {
    const mark = word.indexOf('=');
    const [problem] = mark > 0 ? isLabelValue(word.slice(mark + 1)) : [];
    if (problem) throw new CommandError(`invalid label value: ${JSON.stringify(word)}: ${problem}`);
  }
  const changes = parseChanges(words);
  if (changes.remove.some((key) => changes.set.has(key)))
    throw new CommandError('can not both modify and remove a label in the same command');
  return changes;
}

interface Labelling {
  readonly changes: MapChanges;
  readonly dryRun: ReturnType<typeof dryRunOf>;
  readonly several: boolean;
}

async function labelOne(context: Context, info: Info, { changes, dryRun, several }: Labelling): Promise<void> {
  const { flags } = context;
  const object = info.object ?? {};
  const before = stringMapAt(object, 'metadata', 'labels');
  if (flags.bool('list')) return listLabels(context, object, several);
  const { labels, missing } = changeLabels(before, changes, flags.bool('overwrite'));
  for (const key of missing) print(context, `label ${JSON.stringify(key)} not found.\n`);
  const changed = await patchMetadata(context, info, {
    field: 'labels',
    values: labels,
    dryRun,
    parameters: writeParameters(context, dryRun),
  });
  const operation = operationOf(before, labels, changes);
  const printer = await printerOf(context, { operation, dryRun });
  print(context, printer.print(changed));
}

/** The labels after the changes. A value that is there stays, unless it may be overwritten. */
function changeLabels(
  before: Readonly<Record<string, string>>,
  { set, remove }: MapChanges,
  overwrite: boolean,
): { labels: Record<string, string>; missing: string[] } {
  for (const [key, value] of set) {
    const existing = before[key];
    if (!overwrite && existing !== undefined && existing !== value)
      throw new CommandError(`'${key}' already has a value (${existing}), and --overwrite is false`);
  }
  const labels = { ...before, ...Object.fromEntries(set) };
  for (const key of remove) delete labels[key];
  return { labels, missing: remove.filter((key) => !(key in before)) };
}

function operationOf(before: Fields, after: Fields, { set, remove }: MapChanges): string {
  const changed = Object.keys({ ...before, ...after }).some((key) => before[key] !== after[key]);
  if (!changed) return 'not labeled';
  if (set.size > 0 && remove.length > 0) return 'modified';
  return set.size > 0 ? 'labeled' : 'unlabeled';
}

function listLabels(context: Context, object: Fields, several: boolean): void {
  const labels = stringMapAt(object, 'metadata', 'labels');
  const indent = several ? ' ' : '';
  if (several) {
    const apiVersion = textAt(object, 'apiVersion');
    const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
    print(
      context,
      `Listing labels for ${textAt(object, 'kind')}.${group}/${textAt(recordAt(object, 'metadata'), 'name')}:\n`,
    );
  }
  for (const [key, value] of Object.entries(labels)) print(context, `${indent}${key}=${value}\n`);
}
