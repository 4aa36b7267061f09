import { describe, expect, it } from 'vitest';
import type { Container, Pod, PodSpec, Volume } from '../../generated/types/core-v1.js';
import { setPodDefaults } from './pod.defaults.js';
import { setPodTemplateSpecDefaults } from './pod-spec.defaults.js';

function podWith(spec: Partial<PodSpec>): Pod {
  return { metadata: { name: 'p' }, spec: { containers: [], ...spec } };
}

function containerAfterDefaults(container: Partial<Container>, spec: Partial<PodSpec> = {}): Container | undefined {
  const pod = podWith({ ...spec, containers: [{ name: 'c', image: 'nginx:1.27', ...container }] });
  setPodDefaults(pod);
  return pod.spec?.containers[0];
}

describe('defaults of a pod', () => {
  it('set the fields that every pod spec has', () => {
    const pod = podWith({});

    setPodDefaults(pod);

    expect(pod.spec).toEqual({
      containers: [],
      dnsPolicy: 'ClusterFirst',
      enableServiceLinks: true,
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    });
  });

  it('leave service links of a template open', () => {
    const template = { spec: { containers: [] } as PodSpec };

    setPodTemplateSpecDefaults(template);

    expect(template.spec.enableServiceLinks).toBeUndefined();
  });

  it('are the same when set twice', () => {
    const pod = podWith({ containers: [{ name: 'c', image: 'a', ports: [{ containerPort: 80 }] }], hostNetwork: true });
    setPodDefaults(pod);
    const once = structuredClone(pod);

    setPodDefaults(pod);

    expect(pod).toEqual(once);
  });

  it('set both names of the service account', () => {
    const pod = podWith({ serviceAccount: 'robot' });

    setPodDefaults(pod);

    expect(pod.spec).toMatchObject({ serviceAccount: 'robot', serviceAccountName: 'robot' });
  });
});

describe('defaults of a container', () => {
  it.each([
    { image: 'nginx', policy: 'Always' },
    { image: 'nginx:latest', policy: 'Always' },
    { image: 'registry:5000/team/nginx', policy: 'Always' },
    { image: 'nginx:1.27', policy: 'IfNotPresent' },
    { image: `nginx@sha256:${'0'.repeat(64)}`, policy: 'IfNotPresent' },
    { image: 'Not An Image', policy: 'IfNotPresent' },
  ])('$image is pulled $policy', ({ image, policy }) => {
    expect(containerAfterDefaults({ image })?.imagePullPolicy).toBe(policy);
  });

  it.each<{ name: string; input: Partial<Container>; spec?: Partial<PodSpec>; filled: Partial<Container> }>([
    {
      name: 'a probe gets its numbers and its path',
      input: { livenessProbe: { httpGet: { port: 80 } } },
      filled: {
        livenessProbe: {
          httpGet: { port: 80, path: '/', scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    },
    {
      name: 'a port is of TCP',
      input: { ports: [{ containerPort: 80 }] },
      filled: { ports: [{ containerPort: 80, protocol: 'TCP' }] },
    },
    {
      name: 'a port on the host network is a port of the host',
      input: { ports: [{ containerPort: 80, protocol: 'UDP' }] },
      spec: { hostNetwork: true },
      filled: { ports: [{ containerPort: 80, hostPort: 80, protocol: 'UDP' }] },
    },
    {
      name: 'limits are requests where there are none',
      input: { resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m' } } },
      filled: { resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m', memory: '1Gi' } } },
    },
    {
      name: 'resources are rounded up to thousandths',
      input: { resources: { requests: { cpu: '100u' } } },
      filled: { resources: { requests: { cpu: '1m' } } },
    },
    {
      name: 'a field of the pod is one of version v1',
      input: { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
      filled: { env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }] },
    },
  ])('$name', ({ input, spec = {}, filled }) => {
    expect(containerAfterDefaults(input, spec)).toMatchObject(filled);
  });
});

describe('defaults of a volume', () => {
  it.each<{ name: string; input: Partial<Volume>; filled: Partial<Volume> }>([
    { name: 'without a source it is an emptyDir', input: {}, filled: { emptyDir: {} } },
    {
      name: 'a host path has no type',
      input: { hostPath: { path: '/' } },
      filled: { hostPath: { path: '/', type: '' } },
    },
    {
      name: 'files of a secret have mode 0644',
      input: { secret: { secretName: 's' } },
      filled: { secret: { secretName: 's', defaultMode: 0o644 } },
    },
    {
      name: 'a projected token is good for an hour',
      input: { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      filled: {
        projected: { defaultMode: 0o644, sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }] },
      },
    },
  ])('$name', ({ input, filled }) => {
    const pod = podWith({ volumes: [{ name: 'v', ...input }] });

    setPodDefaults(pod);

    expect(pod.spec?.volumes?.[0]).toEqual({ name: 'v', ...filled });
  });
});
