import { VirtualClock } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const mergePatch = { 'content-type': 'application/merge-patch+json' };
const container = { name: 'a', image: 'b' };
const privileged = { ...container, name: 'b', securityContext: { privileged: true } };

const pod = (containers: readonly object[]) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: { containers },
});

const cronJob = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'web' },
  spec: {
    schedule: '* * * * *',
    jobTemplate: {
      spec: {
        template: { spec: { restartPolicy: 'Never', containers: [container], initContainers: [privileged] } },
      },
    },
  },
};

describe('FLAG-20 --allow-privileged=false', () => {
  test('rejects pods with privileged containers, and controllers with such templates', async () => {
    const { call } = await startTestServer({ allowsPrivileged: false });
    const { status, body } = await call('POST', '/api/v1/namespaces/default/pods', pod([container, privileged]));
    expect(status).toBe(422);
    expect(body.details.causes).toEqual([
      {
        reason: 'FieldValueForbidden',
        message: 'Forbidden: disallowed by cluster policy',
        field: 'spec.containers[1].securityContext.privileged',
      },
    ]);
    const job = await call('POST', '/apis/batch/v1/namespaces/default/cronjobs', cronJob);
    expect(job.body.details.causes[0].field).toBe(
      'spec.jobTemplate.spec.template.spec.initContainers[0].securityContext.privileged',
    );
    expect((await call('POST', '/api/v1/namespaces/default/pods', pod([container]))).status).toBe(201);
  });

  test('accepts status updates of existing pods, but no other change', async () => {
    const store = await createMemoryStore({ clock: new VirtualClock() });
    const before = await startTestServer({ store });
    const { body } = await before.call('POST', '/api/v1/namespaces/default/pods', pod([privileged]));
    const { call } = await startTestServer({ store, allowsPrivileged: false });
    const path = '/api/v1/namespaces/default/pods/web';
    const afterStatus = await call('PUT', `${path}/status`, { ...body, status: { phase: 'Running' } });
    expect(afterStatus.status).toBe(200);
    const labelled = await call('PATCH', path, { metadata: { labels: { a: 'b' } } }, mergePatch);
    expect(labelled.status).toBe(422);
  });

  test('is not the default', async () => {
    const { call } = await startTestServer();
    expect((await call('POST', '/api/v1/namespaces/default/pods', pod([privileged]))).status).toBe(201);
  });
});
