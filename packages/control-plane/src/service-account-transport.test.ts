import { refs } from '@coracle/api';
import { StatusError } from '@coracle/apimachinery';
import { createClient, inProcessTransport } from '@coracle/client';
import { expect, test } from 'vitest';
import { controlPlaneGround, startOn } from './control-plane.fixture.js';
import { serviceAccountTransport } from './service-account-transport.js';

test('KCM-20 a controller acts as its own service account, with tokens that are renewed', async () => {
  const ground = await controlPlaneGround();
  const { clock } = ground;
  await using controlPlane = await startOn(ground, { components: { controllers: false, scheduler: false } });
  const { client, server } = controlPlane;
  const account = { namespace: 'kube-system', name: 'node-controller' };
  const transport = inProcessTransport(server);
  const own = createClient({ transport: serviceAccountTransport({ transport, client, clock, account }) });
  const whoAmI = async () => {
    const review = await own.resource(refs.selfSubjectReviews).create({ metadata: {} });
    return review.status?.userInfo?.username;
  };

  expect(await whoAmI()).toBe('system:serviceaccount:kube-system:node-controller');
  expect((await own.nodes().list()).items).toEqual([]);
  const refusal = await own
    .secrets('default')
    .list()
    .catch((error: unknown) => error);
  expect(StatusError.is(refusal) && refusal.status.code).toBe(403);
  await clock.advance(2 * 3_600_000);
  expect(await whoAmI()).toBe('system:serviceaccount:kube-system:node-controller');

  await client.serviceAccounts('kube-system').delete('node-controller');
  await whoAmI().catch(() => undefined);
  expect(await whoAmI()).toBe('system:serviceaccount:kube-system:node-controller');
});

test('KCM-20 the identity of the controller manager may make the accounts of its controllers', async () => {
  const ground = await controlPlaneGround();
  const { clock } = ground;
  await using controlPlane = await startOn(ground, { components: { controllers: false, scheduler: false } });
  const transport = inProcessTransport(controlPlane.server);
  const client = controlPlane.clientFor('system:kube-controller-manager');
  const account = { namespace: 'kube-system', name: 'deployment-controller' };
  const own = createClient({ transport: serviceAccountTransport({ transport, client, clock, account }) });

  expect((await own.deployments('default').list()).items).toEqual([]);
});
