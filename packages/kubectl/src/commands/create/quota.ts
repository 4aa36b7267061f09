import { parseQuantity } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';

const resource: GeneratedResource = {
  group: '',
  version: 'v1',
  resource: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
};

export async function generate(context: Context): Promise<Generated> {
  const { flags } = context;
  const name = requireName(context);
  const hard = parseResourceList(flags.string('hard'));
  const scopes = flags.string('scopes').split(',').filter(Boolean);
  const object = {
    ...headOf(resource),
    metadata: { name },
    spec: { ...(Object.keys(hard).length > 0 && { hard }), ...(scopes.length > 0 && { scopes }) },
    status: {},
  };
  return { resource, object, failure: 'failed to create quota: ' };
}

/** `cpu=1,memory=2Gi` */
export function parseResourceList(text: string): Record<string, string> {
  const list: Record<string, string> = {};
  for (const part of text.split(',').filter(Boolean)) {
    const [name = '', value, ...rest] = part.split('=');
    if (value === undefined || rest.length > 0)
      throw new CommandError(`Invalid argument syntax ${part}, expected <resource>=<value>`);
    try {
      list[name] = parseQuantity(value).toString();
    } catch (error) {
      throw new CommandError((error as Error).message);
    }
  }
  return list;
}
