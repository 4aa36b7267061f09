import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { requireResources } from '../../resources/find-resources.js';
import { type Fields, recordAt, stringMapAt, textAt } from '../../values.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';

const resource: GeneratedResource = { group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job', namespaced: true };

export async function generate(context: Context): Promise<Generated> {
  const { flags, args, dash } = context;
  const name = requireName(context, dash < 0 ? args : args.slice(0, dash));
  const command = dash < 0 ? [] : args.slice(dash);
  const [image, from] = [flags.string('image'), flags.string('from')];
  if ((image === '') === (from === '')) throw new CommandError('either --image or --from must be specified');
  if (from !== '' && command.length > 0) throw new CommandError('cannot specify --from and command');
  const object = from === '' ? job(name, image, command) : jobOf(name, await cronJob(context, from));
  return { resource, object, failure: 'failed to create job: ' };
}

export function job(name: string, image: string, command: readonly string[]): Fields {
  const container = { name, image, ...(command.length > 0 && { command }), resources: {} };
  return {
    ...headOf(resource),
    metadata: { name },
    spec: { template: { metadata: {}, spec: { containers: [container], restartPolicy: 'Never' } } },
    status: {},
  };
}

async function cronJob({ factory }: Context, from: string): Promise<Fields> {
  const { namespace } = await factory.namespace();
  const [info] = await requireResources(factory, { args: [from], namespace });
  const object = info?.object ?? {};
  if (textAt(object, 'kind') !== 'CronJob') throw new CommandError(`unknown object type *v1.${textAt(object, 'kind')}`);
  return object;
}

/** What a cron job would run. */
function jobOf(name: string, cron: Fields): Fields {
  const template = recordAt(cron, 'spec', 'jobTemplate');
  const annotations = {
    'cronjob.kubernetes.io/instantiate': 'manual',
    ...stringMapAt(template, 'metadata', 'annotations'),
  };
  const labels = stringMapAt(template, 'metadata', 'labels');
  const owner = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    name: textAt(cron, 'metadata', 'name'),
    uid: textAt(cron, 'metadata', 'uid'),
    controller: true,
  };
  const spec = recordAt(template, 'spec');
  const pods = recordAt(spec, 'template');
  return {
    ...headOf(resource),
    metadata: {
      name,
      ...(Object.keys(labels).length > 0 && { labels }),
      annotations,
      ownerReferences: [owner],
    },
    spec: { ...spec, template: { ...pods, metadata: recordAt(pods, 'metadata') } },
    status: {},
  };
}
