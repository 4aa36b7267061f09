import { refs } from '@coracle/api';
import { afterEach, describe, expect, test } from 'vitest';
import { controlPlaneGround, startOn } from './control-plane.fixture.js';
import type { ControlPlane, ControlPlaneOptions } from './control-plane.js';

let running: ControlPlane | undefined;
afterEach(() => running?.[Symbol.asyncDispose]());

async function start(components: NonNullable<ControlPlaneOptions['components']>) {
  const ground = await controlPlaneGround();
  running = await startOn(ground, { components });
  return { clock: ground.clock, controlPlane: running };
}

/** The output of `kubectl get componentstatuses`. */
async function statuses({ client }: ControlPlane): Promise<Record<string, string>> {
  const { items } = await client.resource(refs.componentStatuses).list();
  return Object.fromEntries(
    items.map(({ metadata, conditions }) => [metadata.name, `${conditions?.[0]?.status} ${conditions?.[0]?.message}`]),
  );
}

describe('component statuses', () => {
  test('of components in this process report whether they can reach the cluster', async () => {
    const { controlPlane } = await start({});
    expect(await statuses(controlPlane)).toEqual({
      scheduler: 'True ok',
      'controller-manager': 'True ok',
      'etcd-0': 'True ok',
    });
  });

  test('GC-8 controllers in this process serve the debug pages of their own port', async () => {
    const { controlPlane } = await start({ scheduler: false });
    const { client } = controlPlane;
    for (const name of ['garbagecollector', 'garbage-collector-controller']) {
      const { status, headers } = await client.exchange('GET', `/debug/controllers/${name}/graph`);
      expect([status, headers['content-type']]).toEqual([200, 'text/vnd.graphviz']);
    }
    const unprivileged = controlPlane.clientFor('unprivileged', ['system:authenticated']);
    expect((await unprivileged.exchange('GET', '/debug/controllers/garbagecollector/graph')).status).toBe(403);
  });

  test('of components elsewhere report whether they hold their lease', async () => {
    const { controlPlane, clock } = await start({ scheduler: false, controllers: false });
    expect(await statuses(controlPlane)).toMatchObject({
      scheduler: 'False the lease kube-scheduler has no holder',
      'controller-manager': 'False the lease kube-controller-manager has no holder',
    });
    await controlPlane.client.resource(refs.leases).create({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'kube-scheduler', namespace: 'kube-system' },
      spec: {
        holderIdentity: 'me',
        leaseDurationSeconds: 15,
        renewTime: `${new Date(clock.now()).toISOString().slice(0, -1)}000Z`,
      },
    });
    await clock.advance(15_000);
    expect(await statuses(controlPlane)).toMatchObject({ scheduler: 'True ok' });
    await clock.advance(1_000);
    expect((await statuses(controlPlane)).scheduler).toMatch(/^False me has not renewed the lease of kube-scheduler/);
  });
});
