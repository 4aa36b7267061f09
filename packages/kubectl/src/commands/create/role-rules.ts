import { CommandError } from '../../command/command-error.js';
import { type Context, warn } from '../../command/context.js';
import { usualVerbs } from '../../resources/known-verbs.js';
import type { Fields } from '../../values.js';

const specialVerbs = ['approve', 'sign', 'attest', 'nominate-node-name'];

/** The rules that `--verb`, `--resource` and `--resource-name` describe: one a group. */
export async function rulesOf(context: Context, verbs = verbsOf(context)): Promise<Fields[]> {
  const { flags } = context;
  const resources = flags.strings('resource');
  if (verbs.length === 0) throw new CommandError('at least one verb must be specified');
  if (resources.length === 0) throw new CommandError('at least one resource must be specified');
  for (const verb of verbs)
    if (![...usualVerbs, ...specialVerbs].includes(verb))
      warn(context, `Warning: '${verb}' is not a standard resource verb`);
  const names = flags.strings('resource-name');
  const byGroup = new Map<string, string[]>();
  for (const text of resources) {
    const { group, resource } = await resolve(context, text);
    byGroup.set(group, [...(byGroup.get(group) ?? []), resource]);
  }
  return [...byGroup].map(([group, groupResources]) => ({
    verbs,
    apiGroups: [group],
    resources: groupResources,
    ...(names.length > 0 && { resourceNames: names }),
  }));
}

/** Each verb once; a star alone if there is one. */
export function verbsOf({ flags }: Context): string[] {
  const verbs = [...new Set(flags.strings('verb').map((verb) => verb.trim()))].filter(Boolean);
  return verbs.includes('*') ? ['*'] : verbs;
}

async function resolve({ factory }: Context, text: string): Promise<{ group: string; resource: string }> {
  const [type = '', subresource] = text.split(/\/(.*)/s);
  const suffix = subresource === undefined ? '' : `/${subresource}`;
  if (type === '*') return { group: '*', resource: `*${suffix}` };
  const found = await (await factory.discovery()).find(type);
  if (!found)
    throw new CommandError(`the server doesn't have a resource type ${JSON.stringify(type.split('.')[0])}`, {
      plain: true,
    });
  return { group: found.group, resource: found.resource + suffix };
}
