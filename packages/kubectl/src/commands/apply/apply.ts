import { CommandError, throwCollected } from '../../command/command-error.js';
import { type Context, print, usageError } from '../../command/context.js';
import { namePrinter } from '../../printers/name-printer.js';
import { operationText, printerOf } from '../../printers/print-flags.js';
import type { DryRun } from '../../resources/common-flags.js';
import { dryRunOf, findOptions, requireFiles, validationOf } from '../../resources/common-flags.js';
import { findResources } from '../../resources/find-resources.js';
import type { Info } from '../../resources/info.js';
import { type Fields, textAt } from '../../values.js';
import { cascadeOf } from '../delete.js';
import type { Applied, ApplySettings, Pruner } from './apply-settings.js';
import { applyClientSide } from './client-side.js';
import { applyServerSide } from './server-side.js';

export async function run(context: Context): Promise<void> {
  const { flags, args } = context;
  if (args.length > 0) throw usageError(context, `Unexpected args: [${args.join(' ')}]`);
  const settings = settingsOf(context);
  requireFiles(context);
  const prune = await prunerOf(context, settings);
  const printer =
    flags.string('output') === '' || flags.string('output') === 'name' ? undefined : await printerOf(context);
  const options = await findOptions(context, { all: false, validate: settings.fieldValidation !== 'Ignore' });
  const { infos, errors } = await findResources(context.factory, options);
  if (errors.length === 0 && infos.length === 0) throw new CommandError('no objects passed to apply');
  const prepared = (await prune?.before(infos)) ?? infos;
  const failures = [...errors];
  const applied: Applied[] = [];
  for (const info of prepared) {
    try {
      checkName(info);
      const done = flags.bool('server-side')
        ? await applyServerSide(context, info, settings)
        : await applyClientSide(context, info, settings);
      applied.push(done);
      if (!printer) sayApplied(context, done, settings.dryRun);
    } catch (error) {
      failures.push(error);
    }
  }
  if (printer && applied.length > 0) print(context, printer.print(listOf(applied)));
  throwCollected(failures);
  await prune?.after(applied.map(({ object }) => object));
}

function sayApplied(context: Context, { object, operation }: Applied, dryRun: DryRun): void {
  const short = context.flags.string('output') === 'name';
  print(context, namePrinter(short ? '' : operationText(operation, dryRun)).print(object));
}

function listOf(applied: readonly Applied[]): Fields {
  const [first] = applied;
  if (applied.length === 1 && first) return first.object;
  return { apiVersion: 'v1', kind: 'List', metadata: {}, items: applied.map(({ object }) => object) };
}

function checkName({ object = {} }: Info): void {
  const generated = textAt(object, 'metadata', 'generateName');
  if (textAt(object, 'metadata', 'name') === '' && generated !== '')
    throw new CommandError(`from ${generated}: cannot use generate name with apply`);
}

function settingsOf(context: Context): ApplySettings {
  const { flags } = context;
  const dryRun = dryRunOf(context);
  const serverSide = flags.bool('server-side');
  if (flags.bool('force-conflicts') && !serverSide)
    throw new CommandError('--force-conflicts only works with --server-side');
  if (serverSide && dryRun === 'client')
    throw new CommandError("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)");
  if (serverSide && flags.bool('force')) throw new CommandError('--force cannot be used with --server-side');
  if (flags.bool('force') && dryRun === 'server')
    throw new CommandError('--dry-run=server cannot be used with --force');
  if (flags.string('subresource') !== '' && !serverSide)
    throw new CommandError('--subresource can only be specified for --server-side');
  const isSet = flags.changed('field-manager');
  return {
    dryRun,
    fieldManager: serverSide && !isSet ? 'kubectl' : flags.string('field-manager'),
    fieldValidation: validationOf(context),
    overwrite: flags.bool('overwrite'),
    force: flags.bool('force'),
    forceConflicts: flags.bool('force-conflicts'),
    subresource: flags.string('subresource'),
  };
}

/** The settings of `--prune` and its flags. */
export async function prunerOf(
  context: Context,
  { dryRun }: Pick<ApplySettings, 'dryRun'>,
): Promise<Pruner | undefined> {
  const { flags } = context;
  const applySet = flags.has('applyset') ? flags.string('applyset') : '';
  if (applySet !== '') {
    if (!flags.bool('prune')) throw new CommandError('--applyset requires --prune');
    if (flags.string('selector') !== '') throw new CommandError('--selector is incompatible with --applyset');
    if (flags.strings('prune-allowlist').length > 0)
      throw new CommandError('--prune-allowlist is incompatible with --applyset');
    const { applySetPruner } = await import('./apply-set.js');
    return applySetPruner(context, applySet, dryRun);
  }
  if (!flags.bool('prune')) return undefined;
  if (flags.string('selector') === '' && !flags.bool('all'))
    throw new CommandError(
      'all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector',
    );
  const { selectorPruner } = await import('./prune.js');
  return selectorPruner(context, { dryRun, cascade: cascadeOf(flags.string('cascade')) });
}
