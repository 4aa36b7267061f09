import type { PodSpec } from '@coracle/api';

export const driver = 'gpu.example.com';
export const zone = 'topology.kubernetes.io/zone';
const host = 'kubernetes.io/hostname';

const requesting = (requests: Record<string, string>, resources: object = {}): PodSpec => ({
  containers: [{ name: 'app', image: 'app:1', resources: { requests, ...resources } }],
});
const plain = requesting({});
const small = requesting({ cpu: '500m', memory: '256Mi' });

const near = (app: string, topologyKey: string, namespaces: object) => ({
  ...{ labelSelector: { matchLabels: { app } }, topologyKey, namespaceSelector: namespaces },
});

const ofTeam = { matchLabels: { team: 'x' } };

function spread(topologyKey: string, whenUnsatisfiable: string, more: object = {}): PodSpec {
  const constraint = { maxSkew: 1, topologyKey, whenUnsatisfiable, labelSelector: { matchLabels: { app: 'a' } } };
  return { ...plain, topologySpreadConstraints: [{ ...constraint, ...more }] };
}

function withVolume(claimName: string): PodSpec {
  return { ...plain, volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] };
}

function withDevices(resourceClaimName: string): PodSpec {
  return { ...requesting({}, { claims: [{ name: 'd' }] }), resourceClaims: [{ name: 'd', resourceClaimName }] };
}

/** Pods whose scheduling depends on the cluster, each in a different way. */
export const podSpecs: Readonly<Record<string, PodSpec>> = {
  plain,
  small,
  large: requesting({ cpu: '3', memory: '6Gi' }),
  tolerating: { ...small, tolerations: [{ key: 'dedicated', operator: 'Exists' }] },
  selecting: { ...small, nodeSelector: { [zone]: 'a' } },
  zones: spread(zone, 'DoNotSchedule'),
  untainted: spread(zone, 'DoNotSchedule', { nodeTaintsPolicy: 'Honor', minDomains: 2 }),
  hosts: spread(host, 'DoNotSchedule'),
  loosely: spread(zone, 'ScheduleAnyway'),
  looselyHosts: spread(host, 'ScheduleAnyway'),
  apart: {
    ...plain,
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near('a', host, ofTeam)] } },
  },
  together: {
    ...plain,
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near('b', zone, {})] } },
  },
  preferring: {
    ...plain,
    affinity: {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 7, podAffinityTerm: near('b', zone, ofTeam) }],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 3, podAffinityTerm: near('a', host, {}) }],
      },
    },
  },
  port: {
    containers: [{ name: 'app', image: 'app:1', ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] }],
  },
  volume: withVolume('pvc-0'),
  otherVolume: withVolume('pvc-1'),
  device: withDevices('claim-0'),
  otherDevice: withDevices('claim-1'),
  extended: requesting({ 'example.com/gpu': '1' }, { limits: { 'example.com/gpu': '1' } }),
};
