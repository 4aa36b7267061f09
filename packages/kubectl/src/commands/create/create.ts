import { CommandError, throwCollected } from '../../command/command-error.js';
import { type Context, print, usageError } from '../../command/context.js';
import { withSource } from '../../command/format-error.js';
import { printerOf } from '../../printers/print-flags.js';
import { dryRunOf, findOptions, requireFiles, validationOf, writeParameters } from '../../resources/common-flags.js';
import { findResources } from '../../resources/find-resources.js';
import type { Info } from '../../resources/info.js';
import { withLastApplied } from '../../resources/last-applied.js';
import { RequestHelper } from '../../resources/request-helper.js';

/** `create -f`: makes the objects of files. */
export async function run(context: Context): Promise<void> {
  const { flags, args, factory } = context;
  if (args.length > 0) throw usageError(context, `Unexpected args: [${args.join(' ')}]`);
  requireFiles(context);
  if (flags.string('raw') !== '') {
    const { sendRaw } = await import('../../resources/raw-request.js');
    return sendRaw(context, 'POST');
  }
  const dryRun = dryRunOf(context);
  const fieldValidation = validationOf(context);
  if (flags.bool('edit')) {
    const { editBeforeCreate } = await import('../../editing/edit-before-create.js');
    return editBeforeCreate(context);
  }
  const printer = await printerOf(context, { operation: 'created', dryRun });
  const options = await findOptions(context, { validate: fieldValidation !== 'Ignore' });
  const { infos, errors } = await findResources(factory, options);
  const parameters = { ...writeParameters(context, dryRun), fieldValidation };
  const failures = [...errors];
  for (const info of infos) {
    try {
      const object = flags.bool('save-config') ? withLastApplied(info.object ?? {}) : (info.object ?? {});
      const created = dryRun === 'client' ? object : await create(context, { ...info, object }, parameters);
      print(context, printer.print(created));
    } catch (error) {
      failures.push(withSource(error, 'creating', info.source));
    }
  }
  throwCollected(failures);
  if (infos.length === 0) throw new CommandError('no objects passed to create');
}

async function create(
  { factory }: Context,
  info: Info,
  parameters: Parameters<RequestHelper['create']>[2],
): ReturnType<RequestHelper['create']> {
  return new RequestHelper(await factory.client()).create(info, info.object ?? {}, parameters);
}
