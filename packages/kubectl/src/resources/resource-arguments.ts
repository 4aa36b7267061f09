import type { ResourceInfo } from '@coracle/apimachinery';
import { type CachedDiscovery, resourceInfos } from '@coracle/client';
import { CommandError } from '../command/command-error.js';

/** The arguments of a command: types, or objects by type and name. */
export interface ResourceArguments {
  readonly types: readonly string[];
  readonly names: readonly string[];
  /** `type/name` arguments; then there are no types and names. */
  readonly pairs: readonly { readonly type: string; readonly name: string }[];
}

const separateType =
  "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'";

/** Reads `pods`, `pods,services`, `pods web db` and `pod/web svc/db`. */
export function parseResourceArguments(args: readonly string[]): ResourceArguments {
  if (args.some((arg) => arg.includes('/'))) return { types: [], names: [], pairs: args.map(parsePair(args)) };
  const [types = '', ...names] = args;
  return { types: types.split(',').filter(Boolean), names: [...new Set(names)], pairs: [] };
}

function parsePair(args: readonly string[]): (arg: string) => { type: string; name: string } {
  return (arg) => {
    const parts = arg.split('/');
    if (parts.length === 1 || (args.length > 1 && args.some((other) => !other.includes('/'))))
      throw new CommandError(separateType);
    if (parts.length > 2) throw new CommandError('arguments in resource/name form may not have more than one slash');
    const [type = '', name = ''] = parts;
    if (type === '' || name === '' || type.split(',').length !== 1)
      throw new CommandError('arguments in resource/name form must have a single resource and name');
    return { type, name };
  };
}

/** The resource that a word such as `po`, `deploy.apps` or `ingresses.v1.networking.k8s.io` means. */
export async function resolveType(
  discovery: CachedDiscovery,
  type: string,
  warn?: (text: string) => void,
): Promise<ResourceInfo> {
  const found = (await discovery.find(type)) ?? (await byKindName(discovery, type));
  if (!found) throw noSuchType(type);
  if (warn && found.shortNames.includes(type)) await warnOfOthers(discovery, type, { found, warn });
  return found;
}

/** A short name may be that of other resources too. */
async function warnOfOthers(
  discovery: CachedDiscovery,
  type: string,
  { found, warn }: { found: ResourceInfo; warn: (text: string) => void },
): Promise<void> {
  const others = new Set(
    resourceInfos(await discovery.resources())
      .filter((one) => one.shortNames.includes(type) && (one.group !== found.group || one.resource !== found.resource))
      .map(({ resource, group }) => `${resource}.${group}`),
  );
  for (const other of others)
    warn(`short name ${JSON.stringify(type)} could also match lower priority resource ${other}`);
}

async function byKindName(discovery: CachedDiscovery, type: string): Promise<ResourceInfo | undefined> {
  const [kind = '', ...rest] = type.split('.');
  if (!/^[A-Z]/.test(kind)) return undefined;
  const found = await discovery.find({
    resource: kind.toLowerCase(),
    ...(rest.length > 0 && { group: rest.join('.') }),
  });
  return found?.kind === kind ? found : undefined;
}

function noSuchType(type: string): CommandError {
  return new CommandError(`the server doesn't have a resource type ${JSON.stringify(type.split('.')[0] ?? '')}`);
}

/** Categories such as `all` stand for all their resources. */
export async function expandCategories(discovery: CachedDiscovery, types: readonly string[]): Promise<string[]> {
  const expanded: string[] = [];
  for (const type of types) {
    const members = (await discovery.mapper()).inCategory(type);
    const names = new Set(members.map(({ resource, group }) => (group === '' ? resource : `${resource}.${group}`)));
    expanded.push(...(names.size > 0 ? names : [type]));
  }
  return expanded;
}
