import { schemaOf } from '@coracle/api';
import { decodeProto, encodeProto } from '@coracle/apimachinery';
import { bench, describe } from 'vitest';

/** A pod that runs, with its status: 2.7 kB of protobuf. */
const pod = {
  metadata: {
    name: 'web-5d9c7b6f4-x2v8q',
    generateName: 'web-5d9c7b6f4-',
    namespace: 'production',
    uid: '3f0f6f4e-0d0c-4b2a-9d5e-6f1d2c3b4a59',
    resourceVersion: '1234567',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'web', 'pod-template-hash': '5d9c7b6f4', 'app.kubernetes.io/part-of': 'shop', tier: 'frontend' },
    annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '9090', checksum: 'a'.repeat(64) },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web-5d9c7b6f4',
        uid: '8e1f6f4e-0d0c-4b2a-9d5e-6f1d2c3b4a59',
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
        name: 'kube-api-access-abcde',
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          ],
        },
      },
    ],
    containers: ['web', 'sidecar', 'metrics'].map((name) => container(name)),
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    nodeName: 'node-17.example.com',
    securityContext: {},
    schedulerName: 'default-scheduler',
    tolerations: ['not-ready', 'unreachable'].map((condition) => ({
      key: `node.kubernetes.io/${condition}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 300,
    })),
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
  },
  status: {
    phase: 'Running',
    conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
      type,
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: '2026-01-01T00:00:02Z',
    })),
    hostIP: '10.0.0.17',
    podIP: '10.244.3.9',
    podIPs: [{ ip: '10.244.3.9' }],
    startTime: '2026-01-01T00:00:00Z',
    qosClass: 'Burstable',
    containerStatuses: ['web', 'sidecar', 'metrics'].map((name) => ({
      name,
      state: { running: { startedAt: '2026-01-01T00:00:01Z' } },
      lastState: {},
      ready: true,
      restartCount: 0,
      image: `registry.example.com/shop/${name}:1.2.3`,
      imageID: `registry.example.com/shop/${name}@sha256:${'0123456789abcdef'.repeat(4)}`,
      containerID: `containerd://${'fedcba9876543210'.repeat(4)}`,
      started: true,
    })),
  },
};

function container(name: string): object {
  return {
    name,
    image: `registry.example.com/shop/${name}:1.2.3`,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: [
      { name: 'MODE', value: 'production' },
      { name: 'NODE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } },
    ],
    resources: { limits: { memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
    volumeMounts: [{ name: 'config', readOnly: true, mountPath: '/etc/config' }],
    livenessProbe: {
      httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' },
      periodSeconds: 10,
      timeoutSeconds: 1,
    },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
}

const schema = schemaOf('core-v1/Pod');
const bytes = encodeProto(pod, schema);
const json = JSON.stringify(pod);

describe(`a pod of ${bytes.length} bytes in protobuf`, () => {
  bench('decode', () => {
    decodeProto(bytes, schema);
  });
  bench('encode', () => {
    encodeProto(pod, schema);
  });
  bench('JSON.parse of the same, to compare', () => {
    JSON.parse(json);
  });
});
