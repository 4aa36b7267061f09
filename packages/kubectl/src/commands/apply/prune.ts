import { parseApiVersion, type ResourceInfo } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import { type Context, print } from '../../command/context.js';
import { logWarning } from '../../klog.js';
import { namePrinter } from '../../printers/name-printer.js';
import { operationText } from '../../printers/print-flags.js';
import type { DryRun } from '../../resources/common-flags.js';
import { lastAppliedOf } from '../../resources/last-applied.js';
import { collectionPath, RequestHelper, withQuery } from '../../resources/request-helper.js';
import { type Fields, recordsAt, textAt } from '../../values.js';
import type { Pruner } from './apply-settings.js';

const defaultKinds = [
  'core/v1/ConfigMap',
  'core/v1/Endpoints',
  'core/v1/Namespace',
  'core/v1/PersistentVolumeClaim',
  'core/v1/PersistentVolume',
  'core/v1/Pod',
  'core/v1/ReplicationController',
  'core/v1/Secret',
  'core/v1/Service',
  'batch/v1/Job',
  'batch/v1/CronJob',
  'networking.k8s.io/v1/Ingress',
  'apps/v1/DaemonSet',
  'apps/v1/Deployment',
  'apps/v1/ReplicaSet',
  'apps/v1/StatefulSet',
];

interface PruneSettings {
  readonly dryRun: DryRun;
  readonly cascade: string;
}

/** Deletes objects that a selector picks, that were applied once, and that were not applied now. */
export async function selectorPruner(context: Context, settings: PruneSettings): Promise<Pruner> {
  const mappings = await prunableKinds(context);
  return {
    before: async (infos) => infos,
    after: async (applied) => {
      const victims = await findVictims(context, mappings, applied);
      for (const { object, mapping } of victims) await pruneOne(context, { object, mapping, ...settings });
      return victims.map(({ object }) => object);
    },
  };
}

/** The kinds of `--prune-allowlist`, or the usual ones as far as the server has them. */
export async function prunableKinds({ flags, factory }: Context): Promise<ResourceInfo[]> {
  const allowlist = flags.strings('prune-allowlist');
  for (const text of allowlist)
    if (text.split('/').length !== 3)
      throw new CommandError(`invalid GroupVersionKind format: ${text}, please follow <group/version/kind>`);
  const discovery = await factory.discovery();
  const mappings: ResourceInfo[] = [];
  for (const text of allowlist.length > 0 ? allowlist : defaultKinds) {
    const [group = '', version = '', kind = ''] = text.split('/');
    const apiVersion = group === 'core' ? version : `${group}/${version}`;
    const mapping = await discovery.byKind({ ...(parseApiVersion(apiVersion) ?? { group, version }), kind });
    if (mapping) mappings.push(mapping);
    else if (allowlist.length > 0)
      throw new CommandError(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
  }
  return mappings;
}

interface Victim {
  readonly object: Fields;
  readonly mapping: ResourceInfo;
}

/** The objects that would be pruned after these were applied. */
export async function findVictims(
  context: Context,
  mappings: readonly ResourceInfo[],
  applied: readonly Fields[],
): Promise<Victim[]> {
  const { flags, factory, host } = context;
  if (flags.strings('prune-allowlist').length === 0)
    logWarning(
      host,
      'prune.go:71',
      'Deprecated: kubectl apply will no longer prune non-namespaced resources by default when used with the --namespace flag in a future release. To preserve the current behaviour, list the resources you want to target explicitly in the --prune-allowlist flag.',
    );
  const uids = new Set(applied.map((object) => textAt(object, 'metadata', 'uid')));
  const namespaces = new Set(applied.map((object) => textAt(object, 'metadata', 'namespace')).filter(Boolean));
  const helper = new RequestHelper(await factory.client());
  const victims: Victim[] = [];
  for (const mapping of mappings)
    for (const namespace of mapping.namespaced ? namespaces : ['']) {
      const path = withQuery(collectionPath({ mapping, namespace }), { labelSelector: flags.string('selector') });
      const list = await helper.send('GET', path);
      for (const item of recordsAt(list, 'items')) {
        const object = { apiVersion: list['apiVersion'], kind: mapping.kind, ...item };
        if (lastAppliedOf(object) === undefined || uids.has(textAt(object, 'metadata', 'uid'))) continue;
        if (textAt(object, 'metadata', 'deletionTimestamp') === '') victims.push({ object, mapping });
      }
    }
  return victims;
}

export async function pruneOne(
  context: Context,
  { object, mapping, dryRun, cascade }: Victim & PruneSettings,
): Promise<void> {
  const { flags, factory } = context;
  const [name, namespace] = [textAt(object, 'metadata', 'name'), textAt(object, 'metadata', 'namespace')];
  if (dryRun !== 'client') {
    const gracePeriod = flags.number('grace-period');
    await new RequestHelper(await factory.client()).delete(
      { mapping, name, namespace },
      {
        propagationPolicy: cascade,
        ...(gracePeriod >= 0 && { gracePeriodSeconds: gracePeriod }),
        ...(dryRun === 'server' && { dryRun: ['All'] }),
      },
    );
  }
  const short = flags.string('output') === 'name';
  print(context, namePrinter(short ? '' : operationText('pruned', dryRun)).print(object));
}
