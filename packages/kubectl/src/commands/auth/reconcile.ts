import { isAlreadyExists, isNotFound, reasonOf } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import { type Context, print, warn } from '../../command/context.js';
import { printerOf } from '../../printers/print-flags.js';
import { dryRunOf, findOptions, requireFiles } from '../../resources/common-flags.js';
import { requireResources } from '../../resources/find-resources.js';
import type { Info } from '../../resources/info.js';
import { RequestHelper } from '../../resources/request-helper.js';
import { type Fields, textAt, textsAt } from '../../values.js';
import { type Reconciliation, reconcileBinding, reconcileRole } from './reconciliation.js';

export async function run(context: Context): Promise<void> {
  const { flags, factory } = context;
  const dryRun = dryRunOf(context);
  requireFiles(context);
  if (dryRun === 'server') throw new CommandError('--dry-run=server for command reconcile is not supported yet');
  const infos = await requireResources(factory, await findOptions(context));
  const printer = await printerOf(context, { operation: 'reconciled', dryRun });
  const helper = new RequestHelper(await factory.client());
  for (const info of infos) {
    const kind = textAt(info.object, 'kind');
    const isRole = kind === 'Role' || kind === 'ClusterRole';
    if (!isRole && kind !== 'RoleBinding' && kind !== 'ClusterRoleBinding') continue;
    const removes = flags.bool(isRole ? 'remove-extra-permissions' : 'remove-extra-subjects');
    const result = await planReconciliation(helper, info, { isRole, removes });
    const done = dryRun !== 'client' ? await carryOut(helper, info, result) : result.object;
    print(context, printer.print(done));
    report(context, result);
  }
}

/** Compares a role or binding with the one that the server has. */
export async function planReconciliation(
  helper: RequestHelper,
  info: Info,
  { isRole, removes }: { readonly isRole: boolean; readonly removes: boolean },
): Promise<Reconciliation> {
  const existing = await helper.get(info).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  return (isRole ? reconcileRole : reconcileBinding)(existing, info.object ?? {}, removes);
}

export async function carryOut(
  helper: RequestHelper,
  info: Info,
  { operation, object, isProtected }: Reconciliation,
): Promise<Fields> {
  if (isProtected) return object;
  if (operation === 'create') {
    if (info.mapping?.namespaced) await ensureNamespace(helper, info.namespace);
    return helper.create(info, object);
  }
  if (operation === 'update') return helper.replace(info, object);
  if (operation === 'recreate') {
    await helper.delete(info, {});
    return helper.create(info, object);
  }
  return object;
}

/** Users who may not read or create namespaces can still write into existing ones. */
async function ensureNamespace(helper: RequestHelper, name: string): Promise<void> {
  const root = '/api/v1/namespaces';
  const existing = await helper.send('GET', `${root}/${encodeURIComponent(name)}`).catch((error: unknown) => {
    if (!isNotFound(error) && reasonOf(error) !== 'Forbidden') throw error;
    return undefined;
  });
  if (existing) return;
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await helper.send('POST', root, { body: namespace }).catch((error: unknown) => {
    if (!isAlreadyExists(error) && reasonOf(error) !== 'Forbidden') throw error;
  });
}

const caveat = ', but object opted out (rbac.authorization.kubernetes.io/autoupdate: false)';

function report(context: Context, result: Reconciliation): void {
  const { operation, missing, extra, removes, subject, isProtected } = result;
  if (operation !== 'none') warn(context, `\treconciliation required ${operation}${isProtected ? caveat : ''}`);
  if (operation === 'recreate' || operation === 'none') return;
  const show = (title: string, items: readonly Fields[]) => {
    if (items.length === 0) return;
    warn(context, `\t${title}:`);
    for (const item of items) warn(context, `\t\t${subject ? subjectText(item) : ruleText(item)}`);
  };
  const what = subject ? 'subjects' : 'rules';
  show(`missing ${what} added`, missing);
  if (removes) show(`extra ${what} removed`, extra);
}

function ruleText(rule: Fields): string {
  const list = (field: string) => `[${textsAt(rule, field).join(' ')}]`;
  return `{Verbs:${list('verbs')} APIGroups:${list('apiGroups')} Resources:${list('resources')} ResourceNames:${list('resourceNames')} NonResourceURLs:${list('nonResourceURLs')}}`;
}

function subjectText(subject: Fields): string {
  const text = (field: string) => textAt(subject, field);
  return `{Kind:${text('kind')} APIGroup:${text('apiGroup')} Name:${text('name')} Namespace:${text('namespace')}}`;
}
