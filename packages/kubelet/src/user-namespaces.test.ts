import { NamespaceMode } from '@coracle/cri';
import { expect, test } from 'vitest';
import { makePod } from './builders.fixture.js';
import { namespacesOf } from './runtime-config/namespaces.js';
import { refuseUsers, UserNamespaces } from './user-namespaces.js';

const pod = (uid: string) => ({ ...makePod({ hostUsers: false }), metadata: { name: uid, uid } });

test('pods have user namespaces, also after a restart of the kubelet', async () => {
  const files = new Map<string, string>();
  const checkpoints = {
    read: async (name: string) => files.get(name),
    write: async (name: string, text: string) => void files.set(name, text),
  };
  const before = new UserNamespaces(checkpoints);
  expect(await before.allocate(pod('a'))).toEqual({ hostId: 65_536, containerId: 0, length: 65_536 });
  expect((await before.allocate(pod('b')))?.hostId).toBe(131_072);
  expect(await before.allocate(makePod())).toBeUndefined();
  const after = new UserNamespaces(checkpoints);
  await after.start();
  await after.release((uid) => uid === 'b');
  expect([after.of(pod('b'))?.hostId, (await after.allocate(pod('c')))?.hostId]).toEqual([131_072, 65_536]);
});

test('the runtime receives them', () => {
  const mapping = { hostId: 65_536, containerId: 0, length: 65_536 };
  expect(namespacesOf(pod('a'), { idMapping: mapping }).usernsOptions).toEqual({
    mode: NamespaceMode.POD,
    uids: [mapping],
    gids: [mapping],
  });
  expect(namespacesOf(makePod()).usernsOptions).toBeUndefined();
});

test('a runtime without support gets no user namespaces', () => {
  expect(() => refuseUsers(pod('a'), '', false)).toThrow(
    "can't set `spec.hostUsers: false`, runtime does not support user namespaces",
  );
  expect(() => refuseUsers(pod('a'), 'kata', false)).toThrow('RuntimeClass handler "kata" does not support');
  expect(() => refuseUsers(pod('a'), '', true)).not.toThrow();
  expect(() => refuseUsers(makePod(), '', false)).not.toThrow();
});
