import { isNotFound, parseApiVersion, type ResourceInfo, toBase64 } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import type { DryRun } from '../../resources/common-flags.js';
import { goResource, type Info } from '../../resources/info.js';
import { collectionPath, RequestHelper, withQuery } from '../../resources/request-helper.js';
import { resolveType } from '../../resources/resource-arguments.js';
import { type Fields, recordAt, recordsAt, stringMapAt, textAt } from '../../values.js';
import { clientVersion } from '../../version.js';
import type { Pruner } from './apply-settings.js';
import { pruneOne } from './prune.js';

const labels = { id: 'applyset.kubernetes.io/id', partOf: 'applyset.kubernetes.io/part-of' };
const annotations = {
  tooling: 'applyset.kubernetes.io/tooling',
  kinds: 'applyset.kubernetes.io/contains-group-kinds',
  namespaces: 'applyset.kubernetes.io/additional-namespaces',
};
const parentTypes = ['secrets', 'configmaps'];

/** The parent object of an apply set. */
interface Parent {
  readonly mapping: ResourceInfo;
  readonly name: string;
  readonly namespace: string;
  readonly id: string;
  readonly kinds: readonly string[];
  readonly namespaces: readonly string[];
}

/** Marks objects as members of a set, and deletes members that are no longer applied. */
export async function applySetPruner(context: Context, reference: string, dryRun: DryRun): Promise<Pruner> {
  const parent = await readParent(context, reference);
  const helper = new RequestHelper(await context.factory.client());
  return {
    before: async (infos) => {
      const members = membersOf(
        parent,
        infos.map(({ mapping, namespace }) => ({ mapping, namespace })),
      );
      const all = {
        kinds: [...new Set([...parent.kinds, ...members.kinds])],
        namespaces: [...new Set([...parent.namespaces, ...members.namespaces])],
      };
      if (dryRun === 'none') await writeParent(helper, parent, all);
      return infos.map((info) => withMembership(info, parent.id));
    },
    after: async (applied) => {
      const pruned = await pruneMembers(context, parent, { applied, dryRun });
      const infos: { mapping?: ResourceInfo; namespace: string }[] = [];
      for (const object of applied)
        infos.push({ ...(await mappingFor(context, object)), namespace: textAt(object, 'metadata', 'namespace') });
      if (dryRun === 'none') await writeParent(helper, parent, membersOf(parent, infos));
      return pruned;
    },
  };
}

async function readParent(context: Context, reference: string): Promise<Parent> {
  const { factory } = context;
  const [type = '', name = ''] = reference.includes('/') ? reference.split(/\/(.*)/s) : ['secrets', reference];
  const mapping = await resolveType(await factory.discovery(), type);
  const { namespace, enforced } = await factory.namespace();
  if (mapping.namespaced && !enforced) throw new CommandError('namespace is required to use namespace-scoped ApplySet');
  if (!(mapping.group === '' && parentTypes.includes(mapping.resource)) && !(await isParentType(context, mapping)))
    throw new CommandError(`resource ${JSON.stringify(goResource(mapping))} is not permitted as an ApplySet parent`);
  const where = mapping.namespaced ? namespace : '';
  const id = await idOf({ name, namespace: where, kind: mapping.kind, group: mapping.group });
  const shown = `${mapping.resource}.${mapping.group}/${name}`;
  try {
    const object = await new RequestHelper(await factory.client()).get({ mapping, name, namespace: where });
    return { mapping, name, namespace: where, id, ...membersInside(object, { shown, id }) };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (!parentTypes.includes(mapping.resource))
      throw new CommandError(`custom resource ApplySet parents cannot be created automatically`);
    return { mapping, name, namespace: where, id, kinds: [], namespaces: [] };
  }
}

/** A custom resource may be a parent if its CRD has the label. */
async function isParentType({ factory }: Context, { resource, group }: ResourceInfo): Promise<boolean> {
  if (group === '') return false;
  try {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${resource}.${group}`;
    const crd = await new RequestHelper(await factory.client()).send('GET', path);
    return stringMapAt(crd, 'metadata', 'labels')['applyset.kubernetes.io/is-parent-type'] === 'true';
  } catch {
    return false;
  }
}

async function idOf(parent: { name: string; namespace: string; kind: string; group: string }): Promise<string> {
  const text = [parent.name, parent.namespace, parent.kind, parent.group].join('.');
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return `applyset-${toBase64(digest).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')}-v1`;
}

function membersInside(
  object: Fields,
  { shown, id }: { shown: string; id: string },
): Pick<Parent, 'kinds' | 'namespaces'> {
  const annotationMap = stringMapAt(object, 'metadata', 'annotations');
  const begin = `ApplySet parent object ${JSON.stringify(shown)}`;
  if (!annotationMap[annotations.tooling])
    throw new CommandError(
      `${begin} already exists and is missing required annotation ${JSON.stringify(annotations.tooling)}`,
    );
  if (!annotationMap[annotations.tooling]?.startsWith('kubectl/'))
    throw new CommandError(
      `${begin} already exists and is managed by tooling ${JSON.stringify(annotationMap[annotations.tooling])} instead of "kubectl"`,
    );
  const own = stringMapAt(object, 'metadata', 'labels')[labels.id];
  if (!own) throw new CommandError(`${begin} exists and does not have required label ${labels.id}`);
  if (own !== id)
    throw new CommandError(
      `${begin} exists and has incorrect value for label ${JSON.stringify(labels.id)} (got: ${own}, want: ${id})`,
    );
  const list = (key: string) => (annotationMap[key] ?? '').split(',').filter(Boolean);
  return { kinds: list(annotations.kinds), namespaces: list(annotations.namespaces) };
}

function membersOf(
  parent: Parent,
  infos: readonly { readonly mapping?: ResourceInfo | undefined; readonly namespace: string }[],
): Pick<Parent, 'kinds' | 'namespaces'> {
  const kinds = infos.map(({ mapping }) =>
    mapping?.group ? `${mapping.kind}.${mapping.group}` : (mapping?.kind ?? ''),
  );
  const namespaces = infos.filter(({ mapping }) => mapping?.namespaced).map(({ namespace }) => namespace);
  return {
    kinds: [...new Set(kinds)].filter(Boolean).sort(),
    namespaces: [...new Set(namespaces)].filter((one) => one !== parent.namespace && one !== '').sort(),
  };
}

async function writeParent(
  helper: RequestHelper,
  parent: Parent,
  members: Pick<Parent, 'kinds' | 'namespaces'>,
): Promise<void> {
  const { mapping, name, namespace, id } = parent;
  const body = {
    apiVersion: mapping.group === '' ? mapping.version : `${mapping.group}/${mapping.version}`,
    kind: mapping.kind,
    metadata: {
      name,
      ...(namespace !== '' && { namespace }),
      annotations: {
        [annotations.tooling]: `kubectl/${clientVersion.gitVersion}`,
        [annotations.kinds]: [...members.kinds].sort().join(','),
        [annotations.namespaces]: [...members.namespaces].sort().join(','),
      },
      labels: { [labels.id]: id },
    },
  };
  await helper.patch(
    { mapping, name, namespace },
    { type: 'apply', body },
    { fieldManager: 'kubectl-applyset', force: true },
  );
}

function withMembership(info: Info, id: string): Info {
  const object = info.object ?? {};
  const metadata = recordAt(object, 'metadata');
  const own = { ...stringMapAt(metadata, 'labels'), [labels.partOf]: id };
  return { ...info, object: { ...object, metadata: { ...metadata, labels: own } } };
}

async function mappingFor({ factory }: Context, object: Fields): Promise<{ mapping?: ResourceInfo }> {
  const groupVersion = parseApiVersion(textAt(object, 'apiVersion'));
  const mapping =
    groupVersion && (await (await factory.discovery()).byKind({ ...groupVersion, kind: textAt(object, 'kind') }));
  return mapping ? { mapping } : {};
}

async function pruneMembers(
  context: Context,
  parent: Parent,
  { applied, dryRun }: { readonly applied: readonly Fields[]; readonly dryRun: DryRun },
): Promise<Fields[]> {
  const discovery = await context.factory.discovery();
  const helper = new RequestHelper(await context.factory.client());
  const pruned: Fields[] = [];
  const uids = new Set(applied.map((object) => textAt(object, 'metadata', 'uid')));
  for (const text of parent.kinds) {
    const [kind = '', ...group] = text.split('.');
    const mapping = await discovery.byKind({ group: group.join('.'), kind });
    if (!mapping)
      throw new CommandError(
        `could not find mapping for kind in ${JSON.stringify(annotations.kinds)} annotation: ${text}`,
      );
    for (const namespace of mapping.namespaced ? [parent.namespace, ...parent.namespaces] : ['']) {
      const path = withQuery(collectionPath({ mapping, namespace }), {
        labelSelector: `${labels.partOf}=${parent.id}`,
      });
      for (const item of recordsAt(await helper.send('GET', path), 'items')) {
        if (uids.has(textAt(item, 'metadata', 'uid'))) continue;
        const apiVersion = mapping.group === '' ? mapping.version : `${mapping.group}/${mapping.version}`;
        const object = { apiVersion, kind: mapping.kind, ...item };
        await pruneOne(context, { object, mapping, dryRun, cascade: 'Background' });
        pruned.push(object);
      }
    }
  }
  return pruned;
}
