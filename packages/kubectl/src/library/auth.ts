import { CommandError } from '../command/command-error.js';
import { type AccessReview, reviewAccess, reviewRules } from '../commands/auth/can-i.js';
import { carryOut, planReconciliation } from '../commands/auth/reconcile.js';
import type { Reconciliation } from '../commands/auth/reconciliation.js';
import { review } from '../commands/auth/whoami.js';
import { type Fields, recordAt, recordsAt, textAt, textsAt } from '../values.js';
import { contextOf } from './command-context.js';
import type { Session } from './session.js';
import { infoOfObject } from './targets.js';
import type { WriteOptions } from './write.js';

export type { AccessReview, Reconciliation };

export interface AccessOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly subresource?: string;
}

/** Whether the user may do something: `canI(session, 'delete', 'pods/web')`, `canI(session, 'get', '/healthz')`. */
export async function canI(
  session: Session,
  verb: string,
  resource: string,
  { namespace, allNamespaces, subresource }: AccessOptions = {},
): Promise<AccessReview> {
  const flags = { 'all-namespaces': allNamespaces, subresource };
  return reviewAccess(await contextOf(session.in(namespace), { command: 'auth can-i', args: [verb, resource], flags }));
}

export interface Permissions {
  readonly resourceRules: readonly Fields[];
  readonly nonResourceRules: readonly Fields[];
  /** The server could not find out all of them, for the reason that is given. */
  readonly incomplete: boolean;
  readonly evaluationError: string;
}

/** All that the user may do in a namespace. */
export async function permissions(session: Session, namespace?: string): Promise<Permissions> {
  const status = await reviewRules(session.in(namespace).context.factory);
  return {
    resourceRules: recordsAt(status, 'resourceRules'),
    nonResourceRules: recordsAt(status, 'nonResourceRules'),
    incomplete: status['incomplete'] === true,
    evaluationError: textAt(status, 'evaluationError'),
  };
}

export interface UserInfo {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** The user that the server authenticates. */
export async function whoAmI(session: Session): Promise<UserInfo> {
  const user = recordAt(await review(await session.helper()), 'status', 'userInfo');
  const extra = recordAt(user, 'extra');
  return {
    username: textAt(user, 'username'),
    uid: textAt(user, 'uid'),
    groups: textsAt(user, 'groups'),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, textsAt(extra, key)])),
  };
}

export interface ReconcileOptions extends Pick<WriteOptions, 'namespace' | 'dryRun'> {
  /** Removes additional rules of a role. */
  readonly removeExtraPermissions?: boolean;
  readonly removeExtraSubjects?: boolean;
}

/** Adds missing rules and subjects to roles and bindings, and reports them. */
export async function reconcileAccess(
  session: Session,
  objects: readonly Fields[],
  options: ReconcileOptions = {},
): Promise<Reconciliation[]> {
  if (options.dryRun === 'server')
    throw new CommandError('reconciliation is tried out by the client: use dryRun client');
  const helper = await session.helper();
  const done: Reconciliation[] = [];
  for (const object of objects) {
    const info = await infoOfObject(session, object, options.namespace);
    const isRole = /^(Cluster)?Role$/.test(textAt(object, 'kind'));
    if (!isRole && !/^(Cluster)?RoleBinding$/.test(textAt(object, 'kind')))
      throw new CommandError(`a ${textAt(object, 'kind')} is neither a role nor a binding`);
    const removes = (isRole ? options.removeExtraPermissions : options.removeExtraSubjects) ?? false;
    const plan = await planReconciliation(helper, info, { isRole, removes });
    done.push(options.dryRun === 'client' ? plan : { ...plan, object: await carryOut(helper, info, plan) });
  }
  return done;
}
