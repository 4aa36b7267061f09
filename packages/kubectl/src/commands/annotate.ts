import { CommandError, throwCollected } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { printerOf } from '../printers/print-flags.js';
import { dryRunOf, findOptions, writeParameters } from '../resources/common-flags.js';
import { findResources } from '../resources/find-resources.js';
import type { Info } from '../resources/info.js';
import { type MapChanges, parseChanges, splitChanges } from '../resources/key-value-arguments.js';
import { patchMetadata } from '../resources/patch-metadata.js';
import { stringMapAt, textAt } from '../values.js';

export async function run(context: Context): Promise<void> {
  const { flags, args, factory } = context;
  const { resources, changes: words } = splitChanges(args, 'annotation');
  const hasFiles = flags.strings('filename').length > 0 || flags.string('kustomize') !== '';
  if (resources.length === 0 && !hasFiles)
    throw new CommandError('one or more resources must be specified as <resource> <name> or <resource>/<name>');
  if (words.length === 0 && !flags.bool('list')) throw new CommandError('at least one annotation update is required');
  const changes = parseChanges(words);
  const both = changes.remove.filter((key) => changes.set.has(key));
  if (both.length > 0)
    throw new CommandError(
      `can not both modify and remove the following annotation(s) in the same command: ${both.join(', ')}`,
    );
  const dryRun = dryRunOf(context);
  const options = await findOptions(context, { args: resources, latest: !flags.bool('local') });
  const { infos, errors } = await findResources(factory, options);
  const printer = await printerOf(context, { operation: 'annotated', dryRun });
  const failures = [...errors];
  for (const info of infos) {
    try {
      if (flags.bool('list')) listAnnotations(context, info, infos.length > 1);
      else {
        const before = stringMapAt(info.object, 'metadata', 'annotations');
        const values = changeAnnotations(before, changes, flags.bool('overwrite'));
        const parameters = writeParameters(context, dryRun);
        print(
          context,
          printer.print(await patchMetadata(context, info, { field: 'annotations', values, dryRun, parameters })),
        );
      }
    } catch (error) {
      failures.push(error);
    }
  }
  throwCollected(failures);
}

/** The annotations after the changes. */
function changeAnnotations(
  before: Readonly<Record<string, string>>,
  { set, remove }: MapChanges,
  overwrite: boolean,
): Record<string, string> {
  const conflicts = [...set].filter(([key, value]) => !overwrite && before[key] !== undefined && before[key] !== value);
  if (conflicts.length > 0) {
    const messages = conflicts.map(([key]) => `'${key}' already has a value (${before[key]})`);
    throw new CommandError(
      `--overwrite is false but found the following declared annotation(s): ${messages.join('; ')}`,
    );
  }
  const annotations = { ...before, ...Object.fromEntries(set) };
  for (const key of remove) delete annotations[key];
  return annotations;
}

function listAnnotations(context: Context, { object = {} }: Info, several: boolean): void {
  const group = textAt(object, 'apiVersion').includes('/') ? textAt(object, 'apiVersion').split('/')[0] : '';
  if (several)
    print(
      context,
      `Listing annotations for ${textAt(object, 'kind')}.${group}/${textAt(object, 'metadata', 'name')}:\n`,
    );
  const annotations = Object.entries(stringMapAt(object, 'metadata', 'annotations')).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  for (const [key, value] of annotations) print(context, `${several ? ' ' : ''}${key}=${value}\n`);
}
