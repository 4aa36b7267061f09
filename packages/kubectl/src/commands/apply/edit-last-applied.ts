import { readJson } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { checkEditFormat, runEditSession } from '../../editing/edit-session.js';
import { namePrinter } from '../../printers/name-printer.js';
import { fieldManagerOf, findOptions } from '../../resources/common-flags.js';
import { requireResources } from '../../resources/find-resources.js';
import { lastAppliedAnnotation, lastAppliedOf } from '../../resources/last-applied.js';
import { RequestHelper } from '../../resources/request-helper.js';
import { type Fields, goJson, sortKeys } from '../../values.js';

export async function run(context: Context): Promise<void> {
  checkEditFormat(context);
  const all = await requireResources(context.factory, await findOptions(context, { latest: true }));
  const infos = all.filter(({ object = {} }) => lastAppliedOf(object) !== undefined);
  if (infos.length === 0)
    throw new CommandError(
      'no last-applied-configuration annotation found on resources, to create the annotation, use command `kubectl apply set-last-applied --create-annotation`',
    );
  const helper = new RequestHelper(await context.factory.client());
  await runEditSession(context, {
    infos,
    shown: ({ object = {} }) => readJson(lastAppliedOf(object) ?? '{}') as Fields,
    save: async (info, edited) => {
      const body = { metadata: { annotations: { [lastAppliedAnnotation]: `${goJson(sortKeys(edited))}\n` } } };
      const saved = await helper.patch(info, { type: 'merge', body }, { fieldManager: fieldManagerOf(context) });
      print(context, namePrinter('edited').print(saved));
    },
  });
}
