import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import type { Fields } from '../../values.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';

const resource: GeneratedResource = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};

export async function generate(context: Context): Promise<Generated> {
  const { flags, args, dash } = context;
  const name = requireName(context, dash < 0 ? args : args.slice(0, dash));
  const images = flags.strings('image');
  const command = dash < 0 ? [] : args.slice(dash);
  if (images.length > 1 && command.length > 0)
    throw new CommandError('cannot specify multiple --image options and command');
  if (flags.changed('replicas') && flags.number('replicas') < 0) throw new CommandError('replicas cannot be negative');
  const object = deployment(name, { images, command, replicas: flags.number('replicas'), port: flags.number('port') });
  return { resource, object, failure: 'failed to create deployment: ' };
}

interface DeploymentValues {
  readonly images: readonly string[];
  readonly command: readonly string[];
  readonly replicas: number;
  /** The port of the first container; none if negative. */
  readonly port: number;
}

export function deployment(name: string, { images, command, replicas, port }: DeploymentValues): Fields {
  const labels = { app: name };
  const containers = images.map((image, i) => ({
    name: containerName(image),
    image,
    ...(command.length > 0 && { command }),
    ...(i === 0 && port >= 0 && { ports: [{ containerPort: port }] }),
    resources: {},
  }));
  return {
    ...headOf(resource),
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: uniqueNames(containers) } },
      strategy: {},
    },
    status: {},
  };
}

/** The last part of an image's name, without tag and digest. */
function containerName(image: string): string {
  const last = image.split('/').at(-1) ?? '';
  const [name = ''] = last.split(/[:@]/);
  return name.toLowerCase().replace(/[^a-z0-9-]/g, '-');
}

function uniqueNames<T extends { name: string }>(containers: readonly T[]): T[] {
  const seen = new Set<string>();
  return containers.map((container, i) => {
    const name = seen.has(container.name) ? `${container.name}-${i}` : container.name;
    seen.add(name);
    return { ...container, name };
  });
}
