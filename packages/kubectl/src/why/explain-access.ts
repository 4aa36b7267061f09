import type { Context } from '../command/context.js';
import { RequestHelper } from '../resources/request-helper.js';
import { type Fields, recordAt, recordsAt, textAt, textsAt } from '../values.js';

interface Binding {
  readonly object: Fields;
  readonly kind: 'RoleBinding' | 'ClusterRoleBinding';
}

/** Which roles allow an action, or that none does, and which users were checked. */
export async function explainAccess(
  { factory }: Pick<Context, 'factory'>,
  verb: string,
  target: string,
): Promise<string> {
  const helper = new RequestHelper(await factory.client());
  const { namespace } = await factory.namespace();
  const [type = '', name = ''] = target.split(/\/(.*)/s);
  const found = await (await factory.discovery()).find(type);
  const attributes = { verb, group: found?.group ?? '', resource: found?.resource ?? type, name };
  const spec = {
    resourceAttributes: {
      namespace,
      verb,
      group: attributes.group,
      resource: attributes.resource,
      ...(name && { name }),
    },
  };
  const review = await helper.send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    body: { kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', spec },
  });
  const who = await helper.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    body: { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' },
  });
  const user = recordAt(who, 'status', 'userInfo');
  const allowed = recordAt(review, 'status')['allowed'] === true;
  const reason = textAt(review, 'status', 'reason');
  const lines = [
    `${textAt(user, 'username')} (groups ${textsAt(user, 'groups').join(', ')}) ${allowed ? 'may' : 'may not'} ${verb} ${target} in namespace ${namespace}`,
  ];
  if (reason !== '') lines.push(`  ${reason}`);
  const granting = await bindingsThatGrant(helper, { user, namespace, attributes }).catch(() => undefined);
  if (granting === undefined) lines.push('  roles and bindings cannot be read with these rights');
  else if (granting.length === 0) lines.push('  no role that is bound to this user or these groups has a rule for it');
  else for (const text of granting) lines.push(`  allowed by ${text}`);
  return `${lines.join('\n')}\n`;
}

interface Question {
  readonly user: Fields;
  readonly namespace: string;
  readonly attributes: {
    readonly verb: string;
    readonly group: string;
    readonly resource: string;
    readonly name: string;
  };
}

async function bindingsThatGrant(helper: RequestHelper, { user, namespace, attributes }: Question): Promise<string[]> {
  const root = '/apis/rbac.authorization.k8s.io/v1';
  const list = async (path: string) => recordsAt(await helper.send('GET', `${root}/${path}`), 'items');
  const bindings: Binding[] = [
    ...(await list('clusterrolebindings')).map((object) => ({ object, kind: 'ClusterRoleBinding' as const })),
    ...(await list(`namespaces/${namespace}/rolebindings`)).map((object) => ({ object, kind: 'RoleBinding' as const })),
  ];
  const [clusterRoles, roles] = [await list('clusterroles'), await list(`namespaces/${namespace}/roles`)];
  return bindings
    .filter(({ object }) => recordsAt(object, 'subjects').some((subject) => isSubject(subject, user)))
    .flatMap(({ object, kind }) => {
      const reference = recordAt(object, 'roleRef');
      const pool = textAt(reference, 'kind') === 'ClusterRole' ? clusterRoles : roles;
      const role = pool.find((one) => textAt(one, 'metadata', 'name') === textAt(reference, 'name'));
      const grants = recordsAt(role, 'rules').some((rule) => allows(rule, attributes));
      return grants
        ? [
            `${textAt(reference, 'kind')} ${textAt(reference, 'name')} through ${kind} ${textAt(object, 'metadata', 'name')}`,
          ]
        : [];
    });
}

function isSubject(subject: Fields, user: Fields): boolean {
  const name = textAt(subject, 'name');
  if (subject['kind'] === 'Group') return textsAt(user, 'groups').includes(name);
  if (subject['kind'] === 'ServiceAccount')
    return textAt(user, 'username') === `system:serviceaccount:${textAt(subject, 'namespace')}:${name}`;
  return textAt(user, 'username') === name;
}

function allows(rule: Fields, { verb, group, resource, name }: Question['attributes']): boolean {
  const has = (field: string, value: string) =>
    textsAt(rule, field).includes('*') || textsAt(rule, field).includes(value);
  const names = textsAt(rule, 'resourceNames');
  return (
    has('verbs', verb) &&
    has('apiGroups', group) &&
    has('resources', resource) &&
    (names.length === 0 || names.includes(name))
  );
}
