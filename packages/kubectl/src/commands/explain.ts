import type { ResourceInfo } from '@coracle/apimachinery';
import { parseApiVersion } from '@coracle/apimachinery';
import type { CachedDiscovery } from '@coracle/client';
import { CommandError } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { exampleOf } from '../explain/example.js';
import { explainSchema } from '../explain/explain-schema.js';
import { openApiSchemas } from '../explain/openapi-schemas.js';

export async function run(context: Context): Promise<void> {
  const { args, flags } = context;
  if (args.length === 0)
    throw new CommandError(
      'You must specify the type of resource to explain. Use "kubectl api-resources" for a complete list of supported resources.',
    );
  if (args.length > 1) throw new CommandError('We accept only this format: explain RESOURCE');
  const output = flags.string('output');
  if (!['plaintext', 'plaintext-openapiv2', ''].includes(output))
    throw new CommandError(`unrecognized format: ${output}`);
  const { mapping, path } = await resolveRequest(context.factory, args[0] ?? '', flags.string('api-version'));
  const schemas = await openApiSchemas(await context.factory.client(), mapping);
  if (flags.bool('example')) return print(context, exampleOf(schemas, mapping, path));
  const older = output === 'plaintext-openapiv2';
  const { text, missing } = explainSchema(schemas, { mapping, path, recursive: flags.bool('recursive'), older });
  print(context, text);
  if (missing !== undefined) throw new CommandError(`field ${JSON.stringify(missing)} does not exist`);
}

interface Found {
  readonly mapping: ResourceInfo;
  readonly path: readonly string[];
}

/** `pods.spec.containers`, `deployments.apps.spec`: a resource, maybe with its group, and a path of fields. */
export async function resolveRequest(
  factory: { discovery(): Promise<Finder> },
  request: string,
  version: string,
): Promise<Found> {
  const [type = '', ...rest] = request.split('.').filter((part) => part !== '');
  const discovery = await factory.discovery();
  const found = await findWithGroup(discovery, type, rest);
  if (!found)
    throw new CommandError(`the server doesn't have a resource type ${JSON.stringify(type)}`, { plain: true });
  if (version === '') return found;
  const groupVersion = parseApiVersion(version);
  const mapping = groupVersion && (await discovery.find({ resource: found.mapping.resource, ...groupVersion }));
  if (!mapping) throw new CommandError(`couldn't find resource for "${version}, Resource=${found.mapping.resource}"`);
  return { mapping, path: found.path };
}

type Finder = Pick<CachedDiscovery, 'mapper' | 'find'>;

/** With these a path begins, and no group. */
const usualFields: ReadonlySet<string | undefined> = new Set(['metadata', 'spec', 'status']);

/** The longest group that fits wins; what is left is the path. */
async function findWithGroup(discovery: Finder, type: string, rest: readonly string[]): Promise<Found | undefined> {
  const found = await inGroups(discovery, type, rest);
  if (found) return found;
  // A group that is not in the cache yet may have a resource whose name another group has, too.
  if (rest.length > 1 && !usualFields.has(rest[0])) await discovery.find({ resource: type, group: rest.join('.') });
  const mapping = await discovery.find({ resource: type });
  // A resource that is new here was looked up on the server, and with it its group.
  return mapping && ((await inGroups(discovery, type, rest)) ?? { mapping, path: rest });
}

async function inGroups(discovery: Finder, type: string, rest: readonly string[]): Promise<Found | undefined> {
  const mapper = await discovery.mapper();
  for (let count = rest.length; count > 0; count--) {
    const mapping = mapper.find({ resource: type, group: rest.slice(0, count).join('.') });
    if (mapping) return { mapping, path: rest.slice(count) };
  }
  return undefined;
}
