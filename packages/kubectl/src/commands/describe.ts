import { isNotFound } from '@coracle/apimachinery';
import { CommandError, throwCollected } from '../command/command-error.js';
import { type Context, print, warn } from '../command/context.js';
import { describeObject } from '../describe/describers.js';
import { findOptions } from '../resources/common-flags.js';
import { findResources } from '../resources/find-resources.js';
import type { Info } from '../resources/info.js';

export async function run(context: Context): Promise<void> {
  const { flags, args, factory } = context;
  const hasFiles = flags.strings('filename').length > 0 || flags.string('kustomize') !== '';
  if (args.length === 0 && !hasFiles)
    throw new CommandError(
      'You must specify the type of resource to describe. Use "kubectl api-resources" for a complete list of supported resources.',
    );
  const chunkSize = flags.number('chunk-size');
  const options = await findOptions(context, { listsTypes: true, latest: true, chunkSize });
  const { infos, errors } = await findResources(factory, options);
  const [only] = errors;
  if (infos.length === 0 && errors.length === 1 && isNotFound(only) && args.length === 2) {
    if (await describeByPrefix(context, args)) return;
  }
  if (infos.length === 0 && errors.length === 0) {
    const where = options.allNamespaces ? '' : ` in ${options.namespace} namespace.`;
    warn(context, `No resources found${where}`);
  }
  await describeAll(context, infos);
  throwCollected(errors);
}

async function describeAll(context: Context, infos: readonly Info[]): Promise<void> {
  let isFirst = true;
  for (const info of infos) {
    print(context, `${isFirst ? '' : '\n\n'}${await textOf(context, info, infos.length > 1)}`);
    isFirst = false;
  }
}

/** Several objects are described without their events, unless they are requested. */
async function textOf({ factory, flags, host }: Context, { object = {} }: Info, isOneOfMany: boolean): Promise<string> {
  const showEvents = flags.bool('show-events') && (!isOneOfMany || flags.changed('show-events'));
  return describeObject(object, {
    client: await factory.client(),
    now: host.clock.now(),
    showEvents,
    chunkSize: flags.number('chunk-size'),
  });
}

/** A name that is not there may be the beginning of names that are. */
async function describeByPrefix(context: Context, args: readonly string[]): Promise<boolean> {
  const [type = '', prefix = ''] = args;
  const options = await findOptions(context, { args: [type], listsTypes: true });
  const { infos } = await findResources(context.factory, options);
  const fitting = infos.filter(({ name }) => name.startsWith(prefix));
  for (const info of fitting) print(context, `${await textOf(context, info, true)}\n`);
  return fitting.length > 0;
}
