import { isNotFound } from '@coracle/apimachinery';
import { CommandError, throwCollected } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { withSource } from '../command/format-error.js';
import { printerOf } from '../printers/print-flags.js';
import { dryRunOf, findOptions, requireFiles, validationOf, writeParameters } from '../resources/common-flags.js';
import { type FindOptions, findResources } from '../resources/find-resources.js';
import type { Info } from '../resources/info.js';
import { lastAppliedOf, withLastApplied } from '../resources/last-applied.js';
import { RequestHelper } from '../resources/request-helper.js';
import { waitUntilDeleted } from '../resources/wait-deleted.js';
import { type Fields, textAt } from '../values.js';
import { cascadeOf, deleteOne } from './delete.js';

export async function run(context: Context): Promise<void> {
  const { flags, factory } = context;
  if (flags.string('raw') !== '') {
    const { sendRaw } = await import('../resources/raw-request.js');
    return sendRaw(context, 'PUT');
  }
  const dryRun = dryRunOf(context);
  const fieldValidation = validationOf(context);
  if (flags.number('grace-period') >= 0 && !flags.bool('force'))
    throw new CommandError('--grace-period must have --force specified');
  if (flags.number('timeout') !== 0 && !flags.bool('force'))
    throw new CommandError('--timeout must have --force specified');
  // Deletion and creation in one cannot be tried: the create would find the object still there.
  if (flags.bool('force') && dryRun !== 'none') throw new CommandError('--dry-run can not be used when --force is set');
  const cascade = cascadeOf(flags.string('cascade'));
  requireFiles(context);
  const options = await findOptions(context, { validate: fieldValidation !== 'Ignore' });
  const printer = await printerOf(context, { operation: 'replaced', dryRun });
  if (flags.bool('force'))
    return forceReplace(context, options, { cascade, show: (object) => print(context, printer.print(object)) });
  const { infos, errors } = await findResources(factory, options);
  const parameters = { ...writeParameters(context, dryRun), fieldValidation };
  const failures = [...errors];
  for (const info of infos) {
    try {
      const object = await prepared(context, info);
      if (dryRun === 'client') print(context, printer.print(object));
      else {
        const helper = new RequestHelper(await factory.client());
        print(context, printer.print(await helper.replace(info, object, parameters)));
      }
    } catch (error) {
      failures.push(withSource(error, 'replacing', info.source));
    }
  }
  throwCollected(failures);
}

/** An existing last-applied configuration is updated. */
async function prepared({ flags, factory }: Context, info: Info): Promise<Fields> {
  const object = info.object ?? {};
  if (flags.bool('save-config')) return withLastApplied(object);
  if (lastAppliedOf(object) !== undefined) return withLastApplied(object);
  void factory;
  return object;
}

interface Forcing {
  readonly cascade: ReturnType<typeof cascadeOf>;
  readonly show: (object: Fields) => void;
}

/** Deletes the existing object, waits until it is gone, and creates it again. */
async function forceReplace(context: Context, options: FindOptions, { cascade, show }: Forcing): Promise<void> {
  const { flags, factory } = context;
  const { infos, errors } = await findResources(factory, options);
  throwCollected(errors);
  const gracePeriod = flags.number('grace-period');
  const deleted: { info: Info; uid: string }[] = [];
  for (const info of infos) {
    try {
      const answer = await deleteOne({ ...context }, info, {
        cascade,
        gracePeriod: gracePeriod === 0 ? 0 : gracePeriod,
        force: false,
        dryRun: 'none',
      });
      deleted.push({ info, uid: textAt(answer, 'metadata', 'uid') || textAt(answer, 'details', 'uid') });
    } catch (error) {
      if (!isNotFound(error)) throw withSource(error, 'deleting', info.source);
    }
  }
  await waitUntilDeleted(context, deleted, flags.number('timeout') || 300_000);
  const helper = new RequestHelper(await factory.client());
  for (const info of infos) {
    const object = flags.bool('save-config') ? withLastApplied(info.object ?? {}) : (info.object ?? {});
    show(await helper.create(info, object, writeParameters(context, 'none')));
  }
}
