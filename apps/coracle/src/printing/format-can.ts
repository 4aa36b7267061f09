import type { AccessExplanation } from '@coracle/cluster';

/** The action in question, as on the command line. */
export interface AccessQuestion {
  readonly user: string;
  readonly groups: readonly string[];
  readonly verb: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Empty for what is in no namespace, and for all namespaces. */
  readonly namespace: string;
}

/** `pods`, `pods/log`, `deployments.apps/scale`: resource, API group, subresource. */
export function parseResource(text: string): Pick<AccessQuestion, 'apiGroup' | 'resource' | 'subresource'> {
  const [full = '', subresource = ''] = text.split('/');
  const [resource = '', ...group] = full.split('.');
  return { resource, apiGroup: group.join('.'), subresource };
}

export function formatCan(question: AccessQuestion, { allowed, reason, roles }: AccessExplanation): string {
  const { user, verb } = question;
  const what = `${verb} ${resourceText(question)}${question.name && ` ${question.name}`}${placeOf(question)}`;
  if (allowed) return `${user} can ${what}\n  ${reason || 'allowed without a binding'}\n`;
  const lines = [`${user} cannot ${what}`];
  if (reason !== '') lines.push(`  ${reason}`);
  const [smallest, ...others] = roles;
  if (smallest) {
    lines.push('', `The smallest role that allows it is ${smallest.kind} ${smallest.name}:`);
    lines.push(`  ${bindCommand(question, smallest)}`);
    if (others.length > 0) lines.push(`So do ${others.map(({ kind, name }) => `${kind} ${name}`).join(', ')}.`);
  }
  lines.push('', smallest ? 'A role for this alone:' : 'No role allows it. One for this alone:');
  lines.push(...ownRoleCommands(question).map((line) => `  ${line}`));
  return `${lines.join('\n')}\n`;
}

function resourceText({ resource, apiGroup, subresource }: AccessQuestion): string {
  return `${resource}${apiGroup && `.${apiGroup}`}${subresource && `/${subresource}`}`;
}

function placeOf({ namespace }: AccessQuestion): string {
  return namespace === '' ? ' in the whole cluster' : ` in the namespace ${namespace}`;
}

type Role = AccessExplanation['roles'][number];

function bindCommand(question: AccessQuestion, { kind, name }: Role): string {
  const { namespace } = question;
  const flag = kind === 'ClusterRole' ? `--clusterrole=${name}` : `--role=${name}`;
  const binding = `${shortName(question.user)}-${name.replaceAll(':', '-')}`;
  return namespace === ''
    ? `kubectl create clusterrolebinding ${binding} ${flag} ${subjectFlag(question)}`
    : `kubectl create rolebinding ${binding} ${flag} ${subjectFlag(question)} -n ${namespace}`;
}

function ownRoleCommands(question: AccessQuestion): string[] {
  const { verb, name, namespace } = question;
  const [kind, where] = namespace === '' ? ['clusterrole', ''] : ['role', ` -n ${namespace}`];
  const role = `${shortName(question.user)}-${verb}-${question.resource}`;
  const rule = `--verb=${verb} --resource=${resourceText(question)}${name && ` --resource-name=${name}`}`;
  return [
    `kubectl create ${kind} ${role} ${rule}${where}`,
    `kubectl create ${kind}binding ${role} --${kind}=${role} ${subjectFlag(question)}${where}`,
  ];
}

/** `--user=jane`, or `--serviceaccount=namespace:name`. */
function subjectFlag({ user }: AccessQuestion): string {
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user);
  return account ? `--serviceaccount=${account[1]}:${account[2]}` : `--user=${user}`;
}

/** Names of objects have no colons and no signs of mail addresses. */
function shortName(user: string): string {
  return (user.split(':').at(-1) ?? user).toLowerCase().replace(/[^a-z0-9.-]/g, '-');
}
