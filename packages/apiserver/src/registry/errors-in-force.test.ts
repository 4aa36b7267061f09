import { rulesOf } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { deepCopy } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { FeatureGates, usualFeatures } from '../features/feature-gates.js';
import { inForce, withoutOldErrors } from './errors-in-force.js';

const metadata = { name: 'x', namespace: 'default' };
const container = { name: 'c', image: 'i' };

function pod(spec: object, annotations: Record<string, string> = {}): KubeObject {
  const own = { containers: [container], ...spec };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, annotations }, spec: own } as KubeObject;
}

function podAffinity(values: readonly string[]): object {
  const labelSelector = { matchExpressions: [{ key: 'a', operator: 'In', values }] };
  const terms = [{ topologyKey: 'k', labelSelector }];
  return { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } };
}

function service(spec: object): KubeObject {
  const ports = [{ port: 80, targetPort: 80, protocol: 'TCP' }];
  const own = { type: 'ClusterIP', sessionAffinity: 'None', ports, ...spec };
  return { apiVersion: 'v1', kind: 'Service', metadata, spec: own } as KubeObject;
}

function signingRequest(spec: object, conditions: readonly object[] = []): KubeObject {
  const pem = '-----BEGIN CERTIFICATE REQUEST-----\nMAYwBAIAMAA=\n-----END CERTIFICATE REQUEST-----\n';
  const own = { request: btoa(pem), signerName: 'example.com/s', usages: ['client auth'], ...spec };
  const head = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata };
  return { ...head, spec: own, status: { conditions } } as KubeObject;
}

function ingress(host: string): KubeObject {
  const rule = { host, http: { paths: [{ path: 'x', pathType: 'Prefix', backend: {} }] } };
  return { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata, spec: { rules: [rule] } } as KubeObject;
}

const strange = 'self.from(another.release)';

function crdWith(rule: string): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-validations': [{ rule }] } };
  const names = { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'as.example.com' },
    spec: { group: 'example.com', scope: 'Cluster', names, versions, conversion: { strategy: 'None' } },
    status: { storedVersions: ['v1'] },
  } as KubeObject;
}

function policy(expression: string): KubeObject {
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }];
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: { matchConstraints: { resourceRules }, validations: [{ expression }] },
  } as KubeObject;
}

function errorFields(object: KubeObject, previous?: KubeObject, features: FeatureGates = usualFeatures): string[] {
  const { apiVersion = '', kind = '' } = object as { apiVersion?: string; kind?: string };
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const rules = rulesOf<KubeObject>({ group, version, kind });
  const prepared = (one: KubeObject) => {
    const copy = deepCopy(one);
    rules.setDefaults?.(copy);
    return copy;
  };
  if (!previous) return inForce(rules.validate?.(prepared(object)) ?? [], features).map(({ field }) => field);
  const old = prepared(previous);
  const errors = rules.validateUpdate?.(prepared(object), old) ?? rules.validate?.(prepared(object)) ?? [];
  return withoutOldErrors(inForce(errors, features), () => rules.validate?.(old) ?? []).map(({ field }) => field);
}

describe('an update tolerates errors of the previous object', () => {
  const sysctl = { securityContext: { sysctls: [{ name: 'net.ipv4.ip_local_port_range', value: '1 2' }] } };
  const ports = { hostNetwork: true, ...sysctl };
  const spread = { maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule' };
  const pages = {
    resources: { limits: { cpu: '1', 'hugepages-2Mi': '3Mi' }, requests: { cpu: '1', 'hugepages-2Mi': '3Mi' } },
  };
  const yes = (type: string) => ({ type, status: 'True' });
  const token = { serviceAccountToken: { path: '../t', expirationSeconds: 600 } };

  test.each<[string, KubeObject]>([
    ['values of label selectors', pod(podAffinity(['not a value']))],
    [
      'selectors of spread constraints',
      pod({ topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: { a: '?' } } }] }),
    ],
    ['label keys of spread constraints', pod({ topologySpreadConstraints: [{ ...spread, matchLabelKeys: ['a'] }] })],
    ['whole huge pages', pod({ containers: [{ ...container, ...pages }] })],
    ['sysctls of the host', pod(ports)],
    ['paths of tokens', pod({ serviceAccountName: 's', volumes: [{ name: 'v', projected: { sources: [token] } }] })],
    ['costs of deletion', pod({}, { 'controller.kubernetes.io/pod-deletion-cost': 'much' })],
    ['comparing tolerations', pod({ tolerations: [{ key: 'a', operator: 'Lt', value: '1', effect: 'NoSchedule' }] })],
    ['user namespaces on the host network', pod({ hostUsers: false, hostNetwork: true })],
    ['SELinux labels by mount option', pod({ securityContext: { seLinuxChangePolicy: 'MountOption' } })],
    ['name servers', pod({ dnsConfig: { nameservers: ['010.0.0.1'] } })],
    ['aliases of hosts', pod({ hostAliases: [{ ip: '::ffff:10.0.0.1', hostnames: ['a'] }] })],
    ['addresses of services', service({ externalIPs: ['010.1.2.3'] })],
    ['signers of old', signingRequest({ signerName: 'kubernetes.io/legacy-unknown' })],
    ['unknown usages', signingRequest({ usages: ['unheard of'] })],
    ['usages named twice', signingRequest({ usages: ['any', 'any'] })],
    ['two decisions', signingRequest({}, [yes('Approved'), yes('Denied')])],
    ['conditions without a type', signingRequest({}, [yes('')])],
    ['conditions of the same type', signingRequest({}, [yes('A'), yes('A')])],
    ['paths of wildcard hosts', ingress('*.example.com')],
    ['expressions of custom resources', crdWith(strange)],
    ['expressions of policies', policy(strange)],
    ['ranges of services', service({ type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.1/8'] })],
  ])('%s', (_name, object) => {
    const labelled = { ...deepCopy(object), metadata: { ...object.metadata, labels: { a: 'b' } } };
    expect(errorFields(object)).not.toEqual([]);
    expect(errorFields(labelled, object)).toEqual([]);
  });

  test('but not another value of the same sort', () => {
    expect(
      errorFields(service({ externalIPs: ['010.1.2.3', '010.1.2.4'] }), service({ externalIPs: ['010.1.2.3'] })),
    ).toEqual(['spec.externalIPs[1]']);
  });

  test('nor another expression that is no better', () => {
    expect(errorFields(crdWith(`${strange} `), crdWith(strange))).toHaveLength(1);
    expect(errorFields(policy(`!${strange}`), policy(strange))).toEqual(['spec.validations[0].expression']);
  });

  test('nor a path of another host', () => {
    expect(errorFields(ingress('www.example.com'), ingress('*.example.com'))).not.toEqual([]);
  });

  test('but not new ones', () => {
    const found = errorFields(pod(podAffinity(['not a value'])), pod(podAffinity(['value'])));
    expect(found[0]).toMatch(/values\[0\]$/);
  });
});

describe('FLAG-32 a gate decides', () => {
  const scaledToZero = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      minReplicas: 0,
      maxReplicas: 3,
      metrics: [{ type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } }],
    },
  } as KubeObject;

  test.each<[string, boolean, KubeObject]>([
    ['HPAScaleToZero', true, scaledToZero],
    ['SELinuxMount', true, pod({ securityContext: { seLinuxChangePolicy: 'MountOption' } })],
    ['UserNamespacesHostNetworkSupport', true, pod({ hostUsers: false, hostNetwork: true })],
    ['PodDeletionCost', false, pod({}, { 'controller.kubernetes.io/pod-deletion-cost': 'much' })],
    ['StrictIPCIDRValidation', false, pod({ dnsConfig: { nameservers: ['010.0.0.1'] } })],
  ])('%s=%s allows more', (gate, value, object) => {
    expect(errorFields(object)).not.toEqual([]);
    expect(errorFields(object, undefined, new FeatureGates({ [gate]: value }))).toEqual([]);
  });
});
