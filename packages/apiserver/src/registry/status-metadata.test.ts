import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const merge = { 'content-type': 'application/merge-patch+json' };
const metadata = { name: 'x', labels: { from: 'main' }, annotations: { from: 'main' } };
const byStatus = { labels: { from: 'status' }, annotations: { from: 'status' } };
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
const workload = { metadata, spec: { selector: { matchLabels: { app: 'a' } }, template } };

const apps = '/apis/apps/v1/namespaces/default';
const flow = '/apis/flowcontrol.apiserver.k8s.io/v1';
const attachment = { attacher: 'a.example.org', nodeName: 'n', source: { persistentVolumeName: 'pv' } };
const policy = {
  matchConstraints: {
    resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
  },
  validations: [{ expression: 'true' }],
};
const flowSchema = { priorityLevelConfiguration: { name: 'exempt' }, rules: [] };
const level = { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } };
const service = { group: 'a.example.org', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 10 };
const backend = { ...service, service: { namespace: 'default', name: 's' }, insecureSkipTLSVerify: true };

describe('metadata in writes to the status', () => {
  test.each<[string, string, object, object]>([
    ['labels of deployments are kept', `${apps}/deployments`, workload, { labels: 'main', annotations: 'status' }],
    ['replica sets take it', `${apps}/replicasets`, workload, { labels: 'status', annotations: 'status' }],
    ...(
      [
        ['flow schemas', `${flow}/flowschemas`, flowSchema],
        ['priority levels', `${flow}/prioritylevelconfigurations`, level],
        ['volume attachments', '/apis/storage.k8s.io/v1/volumeattachments', attachment],
        ['policies', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', policy],
        ['service CIDRs', '/apis/networking.k8s.io/v1/servicecidrs', { cidrs: ['10.99.0.0/24'] }],
      ] as const
    ).map(
      ([kind, path, spec]) =>
        [`that of ${kind} is kept`, path, { metadata, spec }, { labels: 'main', annotations: 'main' }] as [
          string,
          string,
          object,
          object,
        ],
    ),
  ])('%s', async (_, path, object, from) => {
    const { call } = await startTestServer();
    expect(await call('POST', path, object)).toMatchObject({ status: 201 });

    const { status, body } = await call('PATCH', `${path}/x/status`, { metadata: byStatus }, merge);

    const { labels, annotations } = body.metadata;
    expect({ status, labels: labels.from, annotations: annotations.from }).toEqual({ status: 200, ...from });
  });

  test('that of APIServices is kept', async () => {
    const { call } = await startTestServer();
    const path = '/apis/apiregistration.k8s.io/v1/apiservices';
    const name = 'v1.a.example.org';
    expect(await call('POST', path, { metadata: { ...metadata, name }, spec: backend })).toMatchObject({ status: 201 });
    const { body } = await call('PATCH', `${path}/${name}/status`, { metadata: byStatus }, merge);
    expect(body.metadata).toMatchObject({ labels: { from: 'main' }, annotations: { from: 'main' } });
  });

  test('a field manager does not own fields that the endpoint resets', async () => {
    const { call } = await startTestServer();
    await call('POST', `${apps}/deployments`, workload);
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x', ...byStatus }, status: {} };
    const applied = await call('PATCH', `${apps}/deployments/x/status?fieldManager=m&force=true`, body, apply);
    const entry = applied.body.metadata.managedFields.find(({ manager }: { manager: string }) => manager === 'm');
    expect(entry.fieldsV1).toEqual({ 'f:metadata': { 'f:annotations': { 'f:from': {} } }, 'f:status': {} });
  });
});
