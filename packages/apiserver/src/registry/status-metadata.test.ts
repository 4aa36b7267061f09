import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const merge = { 'content-type': 'application/merge-patch+json' };
const applied = { 'content-type': 'application/apply-patch+yaml' };
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

  test('the metadata of APIServices is kept', async () => {
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
    const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x', ...byStatus }, status: {} };
    const answer = await call('PATCH', `${apps}/deployments/x/status?fieldManager=m&force=true`, body, applied);
    const entry = answer.body.metadata.managedFields.find(({ manager }: { manager: string }) => manager === 'm');
    expect(entry.fieldsV1).toEqual({ 'f:metadata': { 'f:annotations': { 'f:from': {} } }, 'f:status': {} });
  });

  test('owner references of pods are kept, and not owned by the field manager', async () => {
    const { call } = await startTestServer();
    const path = '/api/v1/namespaces/default/pods';
    expect(await call('POST', path, { metadata, spec: template.spec })).toMatchObject({ status: 201 });
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'b' }];
    const config = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', ...byStatus, ownerReferences } };
    const query = 'fieldManager=m&force=true';
    const { body } = await call('PATCH', `${path}/x/status?${query}`, { ...config, status: { reason: 'A' } }, applied);
    expect(body.metadata).toMatchObject({ labels: byStatus.labels });
    expect(body.metadata.ownerReferences).toBeUndefined();
    expect(ownedBy('m', body)).toEqual([
      {
        'f:metadata': { 'f:annotations': { 'f:from': {} }, 'f:labels': { 'f:from': {} } },
        'f:status': { 'f:reason': {} },
      },
    ]);
  });

  test('the status of a namespace is not owned by the field manager of the finalize subresource', async () => {
    const { call } = await startTestServer();
    const config = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'x' },
      spec: { finalizers: ['kubernetes'] },
    };
    await call('POST', '/api/v1/namespaces', config);
    const body = { ...config, metadata: { ...metadata, annotations: { a: 'b' } }, status: { phase: 'Terminating' } };
    const finalized = await call('PUT', '/api/v1/namespaces/x/finalize?fieldManager=m', body);
    expect(finalized).toMatchObject({ status: 200, body: { status: { phase: 'Active' } } });
    expect(JSON.stringify(ownedBy('m', finalized.body))).not.toContain('f:status');
  });

  test('CRDs store it, and field managers do not own it', async () => {
    const { call } = await startTestServer();
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const schema = { openAPIV3Schema: { type: 'object' } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const names = { plural: 'boats', kind: 'Boat' };
    const name = 'boats.example.org';
    const crd = { metadata: { name }, spec: { group: 'example.org', scope: 'Namespaced', names, versions } };
    expect(await call('POST', path, crd)).toMatchObject({ status: 201 });
    const { body } = await call('PATCH', `${path}/${name}/status?fieldManager=m`, { metadata: byStatus }, merge);
    expect(body.metadata.labels).toEqual(byStatus.labels);
    expect(ownedBy('m', body)).toEqual([]);
  });

  test('the metadata of resource claims is kept, and not owned', async () => {
    const { call } = await startTestServer();
    const path = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
    expect(await call('POST', path, { metadata, spec: {} })).toMatchObject({ status: 201 });
    const { body } = await call('PATCH', `${path}/x/status?fieldManager=m`, { metadata: byStatus }, merge);
    expect(body.metadata.labels).toEqual(metadata.labels);
    expect(ownedBy('m', body)).toEqual([]);
  });
});

interface Answer {
  readonly metadata: { readonly managedFields: readonly { readonly manager: string; readonly fieldsV1: unknown }[] };
}

function ownedBy(manager: string, { metadata: { managedFields } }: Answer): unknown[] {
  return managedFields.filter((entry) => entry.manager === manager).map(({ fieldsV1 }) => fieldsV1);
}
