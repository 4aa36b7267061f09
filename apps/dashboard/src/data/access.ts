import type { Client } from '@coracle/client';
import type { Access, ResourceRule } from '../model/access-rules.js';

/** Reads the permissions of the user once, so that no request is sent that would be rejected. */
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
