import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { findOptions } from '../../resources/common-flags.js';
import { type Found, findResources } from '../../resources/find-resources.js';

/** The workloads of a rollout command. */
export async function rolloutTargets(context: Context): Promise<Found> {
  const { args, flags, factory } = context;
  const hasFiles = flags.strings('filename').length > 0 || flags.string('kustomize') !== '';
  if (args.length === 0 && !hasFiles) throw new CommandError('required resource not specified');
  const listsTypes = flags.has('selector') && flags.string('selector') !== '';
  return findResources(factory, await findOptions(context, { latest: true, ...(listsTypes && { listsTypes }) }));
}
