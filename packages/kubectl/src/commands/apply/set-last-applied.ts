import { CommandError } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { printerOf } from '../../printers/print-flags.js';
import { dryRunOf, findOptions } from '../../resources/common-flags.js';
import { requireResources } from '../../resources/find-resources.js';
import type { Info } from '../../resources/info.js';
import { lastAppliedAnnotation, lastAppliedOf } from '../../resources/last-applied.js';
import { RequestHelper } from '../../resources/request-helper.js';
import { type Fields, goJson, recordAt, sortKeys, stringMapAt } from '../../values.js';

export async function run(context: Context): Promise<void> {
  const { flags, factory } = context;
  const dryRun = dryRunOf(context);
  const infos = await requireResources(factory, await findOptions(context));
  const helper = new RequestHelper(await factory.client());
  const changes: { info: Info; current: Fields; text: string }[] = [];
  for (const info of infos) {
    const current = await helper.get(info);
    if (lastAppliedOf(current) === undefined && !flags.bool('create-annotation'))
      throw new CommandError(
        `no last-applied-configuration annotation found on resource: ${info.name}, to create the annotation, run the command with --create-annotation`,
      );
    changes.push({ info, current, text: `${goJson(sortKeys(info.object))}\n` });
  }
  const printer = await printerOf(context, { operation: 'configured', dryRun });
  for (const { info, current, text } of changes) {
    const body = { metadata: { annotations: { [lastAppliedAnnotation]: text } } };
    const isSame = lastAppliedOf(current) === text;
    const object =
      dryRun === 'client' || isSame
        ? {
            ...current,
            metadata: {
              ...recordAt(current, 'metadata'),
              annotations: { ...stringMapAt(current, 'metadata', 'annotations'), [lastAppliedAnnotation]: text },
            },
          }
        : await helper.patch(info, { type: 'merge', body }, dryRun === 'server' ? { dryRun: true } : {});
    print(context, printer.print(object));
  }
}
