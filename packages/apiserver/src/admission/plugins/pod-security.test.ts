import { describe, expect, test } from 'vitest';
import { MemoryObjects } from '../../memory-objects.fixture.js';
import { startTestServer } from '../../server.fixture.js';
import { admit } from './admit.fixture.js';
import { podSecurity } from './pod-security.js';

const start = () => startTestServer({ admission: ({ objects }) => [podSecurity({ objects })] });
const label = (name: string) => `pod-security.kubernetes.io/${name}`;
const namespace = (labels: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'team', labels },
});
const pod = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'a' }], ...spec },
});
const pods = '/api/v1/namespaces/team/pods';

test.each(['acme.com/pods', 'acme.com/deployments'])('%s only share the name of pods', async (resource) => {
  const objects = new MemoryObjects([
    { kind: 'Namespace', metadata: { name: 'default', labels: { [label('enforce')]: 'restricted' } } },
  ]);
  const object = { kind: 'Pod', metadata: { name: 'p' }, spec: { hostNetwork: true, template: { spec: {} } } };

  expect(await admit(podSecurity({ objects }), { resource, object })).toEqual({ object, warnings: [] });
});

describe('the version of a security level', () => {
  // Running as a user other than root has been required since v1.23.
  const asRoot = pod('web', {
    securityContext: { runAsNonRoot: true, runAsUser: 0, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'c',
        image: 'a',
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
  });

  test.each([
    ['v1.22', 201],
    ['v1.23', 403],
    ['latest', 403],
  ])('ADM %s decides which checks there are', async (version, code) => {
    const { call } = await start();
    const labels = { [label('enforce')]: 'restricted', [label('enforce-version')]: version };
    await call('POST', '/api/v1/namespaces', namespace(labels));
    const answer = await call('POST', pods, asRoot);
    expect(answer.status).toBe(code);
    if (code === 403)
      expect(answer.body.message).toContain(`violates PodSecurity "restricted:${version}": runAsUser=0`);
  });

  test('counts for advice too', async () => {
    const { call } = await start();
    const labels = { [label('warn')]: 'restricted', [label('warn-version')]: 'v1.22' };
    await call('POST', '/api/v1/namespaces', namespace(labels));
    expect((await call('POST', pods, asRoot)).headers['warning']).toBeUndefined();
    const { headers } = await call('POST', pods, pod('other'));
    expect(String(headers['warning'])).toContain('would violate PodSecurity \\"restricted:v1.22\\"');
  });
});

describe('the labels of a namespace', () => {
  test.each([
    ['enforce', 'strict', 'must be one of privileged, baseline, restricted'],
    ['warn-version', '1.25', 'must be "latest" or "v1.x"'],
  ])('must have a valid value: %s=%s', async (name, value, problem) => {
    const { call } = await start();
    const answer = await call('POST', '/api/v1/namespaces', namespace({ [label(name)]: value }));
    expect(answer.body).toMatchObject({
      code: 422,
      message: `Namespace "team" is invalid: metadata.labels[${label(name)}]: Invalid value: "${value}": ${problem}`,
    });
  });

  test('a stricter level is answered with warnings about the pods that violate it', async () => {
    const { call } = await start();
    await call('POST', '/api/v1/namespaces', namespace({}));
    for (const name of ['a', 'b']) await call('POST', pods, pod(name, { hostNetwork: true }));
    await call('POST', pods, pod('fine'));
    const tightened = { metadata: { labels: { [label('enforce')]: 'baseline' } } };
    const patch = { 'content-type': 'application/merge-patch+json' };
    const { status, headers } = await call('PATCH', '/api/v1/namespaces/team', tightened, patch);
    expect([status, headers['warning']]).toEqual([
      200,
      [
        '299 - "existing pods in namespace \\"team\\" violate the new PodSecurity enforce level \\"baseline:latest\\""',
        '299 - "a (and 1 other pod): host namespaces"',
      ],
    ]);
  });
});
