import type { Context } from '../../command/context.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';

const resource: GeneratedResource = {
  group: 'batch',
  version: 'v1',
  resource: 'cronjobs',
  kind: 'CronJob',
  namespaced: true,
};

export async function generate(context: Context): Promise<Generated> {
  const { flags, args, dash } = context;
  const name = requireName(context, dash < 0 ? args : args.slice(0, dash));
  const command = dash < 0 ? [] : args.slice(dash);
  const container = { name, image: flags.string('image'), ...(command.length > 0 && { command }), resources: {} };
  const pods = {
    metadata: {},
    spec: { containers: [container], restartPolicy: flags.string('restart') || 'OnFailure' },
  };
  const object = {
    ...headOf(resource),
    metadata: { name },
    spec: { schedule: flags.string('schedule'), jobTemplate: { metadata: { name }, spec: { template: pods } } },
    status: {},
  };
  return { resource, object, failure: 'failed to create cronjob: ' };
}
