import type { ResourceInfo } from '@coracle/apimachinery';

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** The permissions of the user, as the server lists them: in all namespaces, or in one of them. */
export interface Access {
  /** Undefined where all namespaces may be seen. */
  readonly onlyNamespace: string | undefined;
  readonly user: string;
  readonly groups: readonly string[];
  readonly rules: readonly ResourceRule[];
  /** The server's list is incomplete: rules that are not listed may exist. */
  readonly incomplete: boolean;
}

/** Whether the rules allow a verb on a kind, or the server could not decide. */
export function may(
  access: Access,
  verb: string,
  { group, resource }: Pick<ResourceInfo, 'group' | 'resource'>,
): boolean {
  return access.incomplete || access.rules.some((rule) => ruleAllows(rule, { verb, group, resource }));
}

export function ruleAllows(
  { verbs, apiGroups = [], resources = [], resourceNames = [] }: ResourceRule,
  access: { readonly verb: string; readonly group: string; readonly resource: string; readonly name?: string },
): boolean {
  const has = (list: readonly string[], value: string) => list.includes('*') || list.includes(value);
  const [, sub] = access.resource.split('/');
  return (
    has(verbs, access.verb) &&
    has(apiGroups, access.group) &&
    (has(resources, access.resource) || (sub !== undefined && resources.includes(`*/${sub}`))) &&
    (resourceNames.length === 0 || (access.name !== undefined && resourceNames.includes(access.name)))
  );
}
