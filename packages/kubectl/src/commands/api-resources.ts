import type { ApiResource, CachedDiscovery } from '@coracle/client';
import { CommandError } from '../command/command-error.js';
import { type Context, print, usageError } from '../command/context.js';
import { formatPrinter } from '../printers/print-flags.js';
import { TableWriter } from '../printers/tab-writer.js';

/** A resource of the server, in the version that it prefers. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: ApiResource;
}

export async function run(context: Context): Promise<void> {
  const { flags, args } = context;
  if (args.length > 0) throw usageError(context, `unexpected arguments: [${args.join(' ')}]`);
  const [output, sortBy] = [flags.string('output'), flags.string('sort-by')];
  if (!['', 'name', 'kind'].includes(sortBy)) throw new CommandError('--sort-by accepts only name or kind');
  const allowed = ['json', 'kyaml', 'name', 'wide', 'yaml'];
  const structured = ['json', 'yaml', 'kyaml'].includes(output);
  const printer = structured ? await formatPrinter(context, output, { allowed, keepsOrder: true }) : undefined;
  if (output !== '' && !allowed.includes(output)) await formatPrinter(context, output, { allowed });
  const discovery = await context.factory.discovery();
  if (!flags.bool('cached')) discovery.invalidate();
  const rows = sorted(await servedResources(discovery, filterOf(context)), sortBy);
  if (printer) return print(context, printer.print(listOf(rows)));
  if (output === 'name') return print(context, rows.map((row) => `${nameOf(row)}\n`).join(''));
  print(context, tableOf(rows, { wide: output === 'wide', noHeaders: flags.bool('no-headers') }));
}

export interface ResourceFilter {
  readonly apiGroup?: string;
  readonly namespaced?: boolean;
  /** Only resources that have all of them. */
  readonly verbs?: readonly string[];
  readonly categories?: readonly string[];
}

function filterOf({ flags }: Context): ResourceFilter {
  return {
    verbs: flags.strings('verbs'),
    categories: flags.strings('categories'),
    ...(flags.changed('api-group') && { apiGroup: flags.string('api-group') }),
    ...(flags.changed('namespaced') && { namespaced: flags.bool('namespaced') }),
  };
}

/** The preferred version of each resource, as far as the filter requests it. */
export async function servedResources(
  discovery: CachedDiscovery,
  { apiGroup, namespaced, verbs = [], categories = [] }: ResourceFilter,
): Promise<ServedResource[]> {
  const { groups, lists } = await discovery.resources();
  const rows: ServedResource[] = [];
  for (const group of groups) {
    if (apiGroup !== undefined && group.name !== apiGroup) continue;
    const seen = new Set<string>();
    const preferred = group.preferredVersion?.groupVersion;
    const order = [...group.versions].sort(
      (a, b) => Number(b.groupVersion === preferred) - Number(a.groupVersion === preferred),
    );
    for (const { groupVersion, version } of order) {
      for (const resource of lists.find((list) => list.groupVersion === groupVersion)?.resources ?? []) {
        if (resource.name.includes('/') || seen.has(resource.name)) continue;
        seen.add(resource.name);
        if (resource.verbs.length === 0) continue;
        if (namespaced !== undefined && resource.namespaced !== namespaced) continue;
        if (!verbs.every((verb) => resource.verbs.includes(verb))) continue;
        if (!categories.every((category) => resource.categories?.includes(category))) continue;
        rows.push({ group: group.name, version, resource });
      }
    }
  }
  return rows;
}

function sorted(rows: readonly ServedResource[], sortBy: string): ServedResource[] {
  const key = ({ group, resource }: ServedResource) =>
    sortBy === 'kind' ? [resource.kind] : sortBy === 'name' ? [resource.name] : [group, resource.name];
  return [...rows].sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    for (let i = 0; i < left.length; i++) {
      const [x = '', y = ''] = [left[i], right[i]];
      if (x !== y) return x < y ? -1 : 1;
    }
    return 0;
  });
}

function nameOf({ group, resource }: ServedResource): string {
  return group === '' ? resource.name : `${resource.name}.${group}`;
}

function listOf(rows: readonly ServedResource[]): Record<string, unknown> {
  const resources = rows.map(({ group, version, resource }) => ({
    name: resource.name,
    singularName: resource.singularName,
    namespaced: resource.namespaced,
    ...(group !== '' && { group }),
    version,
    kind: resource.kind,
    verbs: resource.verbs,
    ...(resource.shortNames && { shortNames: resource.shortNames }),
    ...(resource.categories && { categories: resource.categories }),
  }));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: '', resources };
}

function tableOf(rows: readonly ServedResource[], { wide, noHeaders }: { wide: boolean; noHeaders: boolean }): string {
  const header = ['NAME', 'SHORTNAMES', 'APIVERSION', 'NAMESPACED', 'KIND', ...(wide ? ['VERBS', 'CATEGORIES'] : [])];
  const cells = rows.map(({ group, version, resource }) => [
    resource.name,
    (resource.shortNames ?? []).join(','),
    group === '' ? version : `${group}/${version}`,
    String(resource.namespaced),
    resource.kind,
    ...(wide ? [resource.verbs.join(','), (resource.categories ?? []).join(',')] : []),
  ]);
  return new TableWriter().format([...(noHeaders ? [] : [header]), ...cells]);
}
