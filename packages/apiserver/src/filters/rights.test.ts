import { describe, expect, test } from 'vitest';
import type { AccessAttributes, Authorizer } from '../authorization/authorizer.js';
import { startTestServer } from '../server.fixture.js';

/** Allows these verbs, in these namespaces if any are named. */
function allowing(verbs: readonly string[], namespaces?: readonly string[]): Authorizer {
  const allows = ({ verb, namespace }: AccessAttributes) =>
    verbs.includes(verb) && (namespaces?.includes(namespace) ?? true);
  return { name: 'some', authorize: (access) => ({ kind: allows(access) ? 'allow' : 'no-opinion', reason: '' }) };
}

const applies = { 'content-type': 'application/apply-patch+yaml' };
const inTeam = '/api/v1/namespaces/team';

describe('permission to update objects does not include creating them by an update', () => {
  const writes = [
    {
      name: 'by applying',
      call: [
        'PATCH',
        `${inTeam}/configmaps/new?fieldManager=me`,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } },
        applies,
      ],
      refusal: 'configmaps "new" is forbidden: ',
    },
    {
      name: 'by replacing what is not there',
      call: [
        'PUT',
        '/apis/coordination.k8s.io/v1/namespaces/team/leases/new',
        { metadata: { name: 'new' }, spec: { holderIdentity: 'me', leaseDurationSeconds: 1 } },
      ],
      refusal: 'leases.coordination.k8s.io "new" is forbidden: ',
    },
  ] as const;

  test.each(writes)('$name', async ({ call: [method, path, body, headers], refusal }) => {
    const { call } = await startTestServer({ authorizer: () => allowing(['patch', 'update']) });

    expect(await call(method, path, body, headers)).toMatchObject({
      status: 403,
      body: { reason: 'Forbidden', message: refusal },
    });
  });

  test.each(writes)('$name, unless they may create them too', async ({ call: [method, path, body, headers] }) => {
    const { call } = await startTestServer({ authorizer: () => allowing(['patch', 'update', 'create']) });

    expect((await call(method, path, body, headers)).status).toBe(201);
  });
});

describe('permissions in one namespace give none in others', () => {
  test.each([
    ['GET', `${inTeam}/namespaces`],
    ['GET', `${inTeam}/namespaces/default`],
    ['DELETE', `${inTeam}/namespaces/victim`],
    ['GET', `${inTeam}/namespaces/default/status`],
    ['GET', `${inTeam}/nodes`],
    ['GET', `${inTeam}/configmaps/a/status/b`],
    ['GET', `${inTeam}/pods/a/status/b`],
  ])('%s %s is not a path', async (method, path) => {
    const everything = ['get', 'list', 'delete', 'deletecollection'];
    const { call } = await startTestServer({ authorizer: () => allowing(everything, ['team']) });

    expect((await call(method, path)).status).toBe(404);
  });
});
