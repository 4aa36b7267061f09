import type { ResourceInfo } from '@coracle/apimachinery';
import type { Client } from '@coracle/client';

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** What the user may do, as the server says: in all namespaces, or in one of them alone. */
export interface Access {
  /** Undefined where all namespaces may be seen. */
  readonly onlyNamespace: string | undefined;
  readonly user: string;
  readonly groups: readonly string[];
  readonly rules: readonly ResourceRule[];
  /** The server could not tell all rules: what is not listed may be allowed all the same. */
  readonly incomplete: boolean;
}

/** Asks once what the user may do, so that nothing is asked for that would be refused. */
export async function loadAccess(client: Client, namespace: string): Promise<Access> {
  const [everywhere, rules, who] = await Promise.all([
    mayListEverywhere(client),
    rulesIn(client, namespace),
    whoAmI(client),
  ]);
  return { onlyNamespace: everywhere ? undefined : namespace, ...rules, ...who };
}

async function mayListEverywhere(client: Client): Promise<boolean> {
  const allowed = await Promise.all(['pods', 'namespaces'].map((resource) => mayList(client, resource)));
  return allowed.every(Boolean);
}

async function mayList(client: Client, resource: string): Promise<boolean> {
  const review = await post(client, '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: 'list', resource } },
  });
  return (review as { status?: { allowed?: boolean } }).status?.allowed ?? false;
}

export async function rulesIn(client: Client, namespace: string): Promise<Pick<Access, 'rules' | 'incomplete'>> {
  const review = await post(client, '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    spec: { namespace },
  });
  const { status } = review as { status?: { resourceRules?: ResourceRule[]; incomplete?: boolean } };
  return { rules: status?.resourceRules ?? [], incomplete: status?.incomplete ?? false };
}

async function whoAmI(client: Client): Promise<Pick<Access, 'user' | 'groups'>> {
  const review = await post(client, '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
  });
  const info = (review as { status?: { userInfo?: { username?: string; groups?: string[] } } }).status?.userInfo;
  return { user: info?.username ?? '', groups: info?.groups ?? [] };
}

async function post(client: Client, path: string, body: unknown): Promise<unknown> {
  const answer = await client.raw('POST', path, { body });
  return answer.status < 400 ? answer.body : {};
}

/** Whether the rules allow a verb on a kind, or the server could not tell. */
export function may(
  access: Access,
  verb: string,
  { group, resource }: Pick<ResourceInfo, 'group' | 'resource'>,
): boolean {
  return access.incomplete || access.rules.some((rule) => ruleAllows(rule, { verb, group, resource }));
}

export function ruleAllows(
  { verbs, apiGroups = [], resources = [], resourceNames = [] }: ResourceRule,
  wanted: { readonly verb: string; readonly group: string; readonly resource: string; readonly name?: string },
): boolean {
  const has = (list: readonly string[], value: string) => list.includes('*') || list.includes(value);
  const [, sub] = wanted.resource.split('/');
  return (
    has(verbs, wanted.verb) &&
    has(apiGroups, wanted.group) &&
    (has(resources, wanted.resource) || (sub !== undefined && resources.includes(`*/${sub}`))) &&
    (resourceNames.length === 0 || (wanted.name !== undefined && resourceNames.includes(wanted.name)))
  );
}
