import { type Context, usageError } from '../command/context.js';
import { findResources } from '../resources/find-resources.js';
import type { Info } from '../resources/info.js';

/** The nodes that cordon, uncordon and drain mean. */
export async function nodeTargets(context: Context): Promise<Info[]> {
  const { args, flags, factory, command } = context;
  const selector = flags.string('selector');
  if (args.length > 0 && selector !== '')
    throw usageError(context, 'cannot specify both a node name and a --selector option');
  if (args.length === 0 && selector === '') throw usageError(context, `USAGE: ${command.name} NODE [flags]`);
  const words = args.map((arg) => (arg.includes('/') ? arg : `node/${arg}`));
  const { namespace } = await factory.namespace();
  const { infos, errors } = await findResources(factory, {
    args: words.length > 0 ? words : ['nodes'],
    namespace,
    labelSelector: selector,
    ...(flags.has('chunk-size') && { chunkSize: flags.number('chunk-size') }),
  });
  // The first node that is not there ends the command.
  if (errors.length > 0) throw errors[0];
  return infos;
}
