import { describe, expect, it } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const selector = { matchLabels: { app: 'web' } };
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx:1.27' }] } };
const apps = '/apis/apps/v1/namespaces/default';

describe('a pod', () => {
  const pod = (spec: object = {}) => ({
    metadata: { name: 'p' },
    spec: { serviceAccountName: 'default', containers: [{ name: 'c', image: 'nginx:1.27' }], ...spec },
    status: { phase: 'Running' },
  });

  it('STORE-27 SCHEME-31 SCHEME-33 is Pending at first, with any status of the client', async () => {
    const { call } = await startTestServer();

    const { body } = await call('POST', '/api/v1/namespaces/default/pods', pod());

    expect({ status: body.status, generation: body.metadata.generation }).toEqual({
      status: { phase: 'Pending', qosClass: 'BestEffort' },
      generation: 1,
    });
  });

  it('has the condition SchedulingGated with a gate', async () => {
    const { call } = await startTestServer();

    const { body } = await call('POST', '/api/v1/namespaces/default/pods', pod({ schedulingGates: [{ name: 'a/b' }] }));

    expect(body.status.conditions).toMatchObject([
      { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' },
    ]);
  });

  it('STORE-28 STORE-35 counts a new image, and keeps its status', async () => {
    const { call } = await startTestServer();
    const { body: made } = await call('POST', '/api/v1/namespaces/default/pods', pod());
    made.spec.containers[0].image = 'nginx:1.28';
    delete made.status;

    const { body } = await call('PUT', '/api/v1/namespaces/default/pods/p', made);

    expect({ phase: body.status.phase, generation: body.metadata.generation }).toEqual({
      phase: 'Pending',
      generation: 2,
    });
  });

  it('STORE-29 STORE-35 RES-04 keeps its spec when its status is written', async () => {
    const { call } = await startTestServer();
    const { body: made } = await call('POST', '/api/v1/namespaces/default/pods', pod());
    made.spec.containers[0].image = 'other';
    made.status = { phase: 'Running', podIP: '10.0.0.1' };

    const { body } = await call('PUT', '/api/v1/namespaces/default/pods/p/status', made);

    expect({ image: body.spec.containers[0].image, status: body.status }).toEqual({
      image: 'nginx:1.27',
      status: { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }], qosClass: 'BestEffort' },
    });
  });

  it('is deleted at once while it is not on a node', async () => {
    const { call } = await startTestServer();
    await call('POST', '/api/v1/namespaces/default/pods', pod());

    await call('DELETE', '/api/v1/namespaces/default/pods/p');

    expect((await call('GET', '/api/v1/namespaces/default/pods/p')).status).toBe(404);
  });

  it('STORE-31 CACHE-18 is found by its node', async () => {
    const { call } = await startTestServer();
    await call('POST', '/api/v1/namespaces/default/pods', pod({ nodeName: 'a' }));
    const found = async (field: string) =>
      (await call('GET', `/api/v1/namespaces/default/pods?fieldSelector=${encodeURIComponent(field)}`)).body.items
        .length;

    expect([await found('spec.nodeName=a'), await found('spec.nodeName=b')]).toEqual([1, 0]);
  });

  it('STORE-29 RES-10 gets ephemeral containers by their own endpoint', async () => {
    const { call } = await startTestServer();
    const { body: made } = await call('POST', '/api/v1/namespaces/default/pods', pod());
    made.spec.ephemeralContainers = [{ name: 'debug', image: 'busybox' }];

    const refused = await call('PUT', '/api/v1/namespaces/default/pods/p', made);
    const added = await call('PUT', '/api/v1/namespaces/default/pods/p/ephemeralcontainers', made);

    expect([refused.status, added.status, added.body.spec.ephemeralContainers[0].name]).toEqual([422, 200, 'debug']);
  });
});

describe('workloads', () => {
  it('STORE-35 a deployment counts changes of its spec and of its annotations', async () => {
    const { call } = await startTestServer();
    await call('POST', `${apps}/deployments`, { metadata: { name: 'd' }, spec: { selector, template } });
    const patch = async (body: object) => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      return (await call('PATCH', `${apps}/deployments/d`, body, headers)).body.metadata.generation;
    };

    expect([
      await patch({ metadata: { labels: { a: 'b' } } }),
      await patch({ spec: { replicas: 2 } }),
      await patch({ metadata: { annotations: { a: 'b' } } }),
    ]).toEqual([1, 2, 3]);
  });

  it('a daemon set counts its templates in an annotation', async () => {
    const { call } = await startTestServer();
    const { body: made } = await call('POST', `${apps}/daemonsets`, {
      metadata: { name: 'd' },
      spec: { selector, template },
    });
    made.spec.template.spec.containers[0].image = 'nginx:1.28';

    const { body } = await call('PUT', `${apps}/daemonsets/d`, made);

    const key = 'deprecated.daemonset.template.generation';
    expect([made.metadata.annotations[key], body.metadata.annotations[key]]).toEqual(['1', '2']);
  });

  it('a job gets a generated selector', async () => {
    const { call } = await startTestServer();
    const spec = { template: { spec: { ...template.spec, restartPolicy: 'Never' } } };

    const { body } = await call('POST', '/apis/batch/v1/namespaces/default/jobs', { metadata: { name: 'j' }, spec });

    expect(body.spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': body.metadata.uid } });
  });

  it('STORE-27 fields of features that are off are dropped from templates', async () => {
    const { call } = await startTestServer();
    const container = { ...template.spec.containers[0], lifecycle: { stopSignal: 'SIGTERM' } };
    const spec = { selector, template: { ...template, spec: { containers: [container] } } };

    const { body } = await call('POST', `${apps}/replicasets`, { metadata: { name: 'r' }, spec });

    expect(body.spec.template.spec.containers[0].lifecycle?.stopSignal).toBeUndefined();
  });

  it('WRITE-16 a disruption budget is updated only with a resourceVersion', async () => {
    const { call } = await startTestServer();
    const path = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    await call('POST', path, { metadata: { name: 'b' }, spec: { minAvailable: 1 } });

    const { status } = await call('PUT', `${path}/b`, { metadata: { name: 'b' }, spec: { minAvailable: 2 } });

    expect(status).toBe(422);
  });
});
