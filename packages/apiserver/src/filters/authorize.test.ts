import { expect, test } from 'vitest';
import type { Authorizer } from '../authorization/authorizer.js';
import { nodeAccess } from '../registry/core/node-access/node-access.js';
import { startTestServer } from '../server.fixture.js';

/** Allows every user to read everything. */
const readOnly: Authorizer = {
  name: 'ReadOnly',
  authorize: ({ verb }) => ({ kind: verb === 'get' ? 'allow' : 'no-opinion', reason: '' }),
};

test.each(['exec', 'attach', 'portforward'])(
  'a user who may only get pods/%s may not open a channel with GET',
  async (name) => {
    const { server } = await startTestServer({
      authorizer: () => readOnly,
      subresources: () =>
        nodeAccess({
          request: () => Promise.reject(new Error('asked')),
          connect: () => Promise.reject(new Error('asked')),
        }),
    });
    const path = `/api/v1/namespaces/default/pods/web/${name}`;
    const peer = { user: { name: 'jane', groups: [] } };
    await expect(
      server.connect({ method: 'GET', path, query: '', headers: {}, peer }, ['v5.channel.k8s.io']),
    ).rejects.toThrow(
      `pods "web" is forbidden: User "admin" cannot create resource "pods/${name}" in API group "" in the namespace "default"`,
    );
  },
);
