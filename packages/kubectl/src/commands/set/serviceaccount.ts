import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { withPodSpec } from '../../resources/pod-template.js';
import { noPodTemplate, updateObjects } from './update-objects.js';

export async function run(context: Context): Promise<void> {
  const { args } = context;
  const name = args.at(-1);
  if (name === undefined) throw new CommandError('serviceaccount is required');
  await updateObjects(context, {
    operation: 'serviceaccount updated',
    find: { args: args.slice(0, -1) },
    sendsAlways: true,
    failure: 'failed to patch ServiceAccountName ',
    change: (object, info) => {
      const changed = withPodSpec(object, (spec) => ({ ...spec, serviceAccountName: name }));
      if (!changed) throw noPodTemplate(info, object);
      return changed;
    },
  });
}
