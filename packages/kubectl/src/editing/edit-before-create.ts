import { type Context, print } from '../command/context.js';
import { namePrinter } from '../printers/name-printer.js';
import { operationText } from '../printers/print-flags.js';
import { dryRunOf, findOptions, validationOf, writeParameters } from '../resources/common-flags.js';
import { withLastApplied } from '../resources/last-applied.js';
import { requireFileInfos } from '../resources/read-infos.js';
import { RequestHelper } from '../resources/request-helper.js';
import { checkEditFormat, runEditSession } from './edit-session.js';

/** `create --edit`: the objects of files are edited before they are made. */
export async function editBeforeCreate(context: Context): Promise<void> {
  checkEditFormat(context);
  const infos = await requireFileInfos(context.factory, await findOptions(context));
  const helper = new RequestHelper(await context.factory.client());
  const dryRun = dryRunOf(context);
  await runEditSession(context, {
    infos,
    shown: ({ object = {} }) => object,
    save: async (info, edited) => {
      const object = context.flags.bool('save-config') ? withLastApplied(edited) : edited;
      const parameters = { ...writeParameters(context, dryRun), fieldValidation: validationOf(context) };
      const created = dryRun === 'client' ? object : await helper.create(info, object, parameters);
      print(context, namePrinter(operationText('created', dryRun)).print(created));
    },
  });
}
