import { rulesOf, schemaOfKind } from '@coracle/api';
import { decodeObject, decodeOwnedObject, type ObjectSchema, parseJson } from '@coracle/apimachinery';
import { bench, describe } from 'vitest';

/** A pod of about 3 kB, as a Deployment makes it. */
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-5d9c7b9f4-x7k2p',
    generateName: 'web-5d9c7b9f4-',
    namespace: 'default',
    labels: { app: 'web', tier: 'frontend', 'pod-template-hash': '5d9c7b9f4' },
    annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '9090' },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web-5d9c7b9f4',
        uid: '2f6a8c1e-7f0b-4b44-9e0f-0a3cf8f0c8d1',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
  spec: {
    volumes: [
      { name: 'config', configMap: { name: 'web-config', defaultMode: 420 } },
      { name: 'cache', emptyDir: { sizeLimit: '1Gi' } },
      {
        name: 'token',
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          ],
        },
      },
    ],
    containers: ['web', 'sidecar'].map((name) => ({
      name,
      image: `registry.example.com/team/${name}:1.25.3`,
      args: ['--config', '/etc/web/config.yaml'],
      ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
      env: [
        { name: 'LOG_LEVEL', value: 'info' },
        { name: 'POD_IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } },
      ],
      resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
      volumeMounts: [
        { name: 'config', mountPath: '/etc/web', readOnly: true },
        { name: 'cache', mountPath: '/var/cache' },
        { name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
      ],
      livenessProbe: { httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' }, periodSeconds: 10 },
      readinessProbe: { httpGet: { path: '/ready', port: 8080, scheme: 'HTTP' }, initialDelaySeconds: 5 },
      securityContext: { runAsNonRoot: true, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      imagePullPolicy: 'IfNotPresent',
    })),
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    serviceAccountName: 'web',
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
        ],
      },
    },
  },
};

const text = JSON.stringify(pod);
const bytes = new TextEncoder().encode(text);
const encoder = new TextEncoder();
const kind = { group: '', version: 'v1', kind: 'Pod' };
const schema = schemaOfKind(kind) as ObjectSchema;
const rules = rulesOf<object>(kind);

const decode = () => decodeOwnedObject(parseJson(bytes).value, schema).object;

/** All that a create does with the text of a pod but storing it. */
function bringThrough(): Uint8Array {
  const object = decode();
  rules.setDefaults?.(object);
  const errors = rules.validate?.(object) ?? [];
  if (errors.length > 0) throw new Error(errors.map(({ field, body }) => `${field}: ${body}`).join());
  return encoder.encode(JSON.stringify(object));
}

describe(`a pod of ${bytes.length} bytes`, () => {
  // Much code takes part, so it is warm only after a while.
  bench('decode, default, validate and encode (goal: under 60 µs)', () => void bringThrough(), {
    warmupTime: 3_000,
    time: 2_000,
  });
  bench('JSON.parse and JSON.stringify alone, to compare', () => void JSON.stringify(JSON.parse(text)));
  bench('parseJson, duplicates included', () => void parseJson(bytes));
  bench('decodeObject, which copies', () => void decodeObject(pod, schema));
  bench('parse and decode', () => void decode());
});
