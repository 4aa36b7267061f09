import { isRecord } from '@coracle/base';
import { outlineOf } from './outline.js';
import type { AnyKube } from './status-in-words.js';

/** An object that is named by another one. */
export interface Mention {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Where it is unless it is beside the one that names it. */
  readonly namespace?: string | undefined;
}

/** A field of an object with its name in the API and its value; with the object that it refers to. */
export interface Particular {
  readonly name: string;
  readonly text: string;
  readonly to?: Mention;
}

type Fields = Readonly<Record<string, unknown>>;

/** The most important fields of a kind; for kinds without an entry, everything in `spec`. */
export function particularsOf(object: AnyKube, kind: string): Particular[] {
  const own = byKind[kind];
  const spec: Fields = object.spec ?? {};
  if (!own) return outlineOf(spec).map(({ path, text }) => ({ name: path, text }));
  return own({ spec, status: object.status ?? {}, object: object as AnyKube & Fields }).filter(
    ({ text }) => text !== '',
  );
}

interface Parts {
  readonly spec: Fields;
  readonly status: Fields;
  readonly object: Fields & AnyKube;
}

const byKind: Readonly<Record<string, (parts: Parts) => Particular[]>> = {
  Pod: ({ spec, status }) => [
    ...plain(status, 'qosClass'),
    ...plain(spec, 'restartPolicy', 'priorityClassName'),
    mention('serviceAccountName', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      name: textAt(spec, 'serviceAccountName'),
    }),
  ],
  Node: ({ spec, status }) => [
    {
      name: 'addresses',
      text: listAt(status, 'addresses')
        .map(({ type, address }) => `${address} (${type})`)
        .join(', '),
    },
    { name: 'allocatable', text: amounts(status['allocatable'], ['cpu', 'memory', 'pods']) },
    { name: 'taints', text: listAt(spec, 'taints').map(taintText).join(', ') },
    ...plain(spec, 'podCIDR'),
    ...plain(recordAt(status, 'nodeInfo'), 'osImage', 'kernelVersion', 'containerRuntimeVersion', 'kubeletVersion'),
  ],
  Service: ({ spec }) => [
    ...plain(spec, 'type', 'clusterIP', 'externalName'),
    { name: 'ports', text: listAt(spec, 'ports').map(portText).join(', ') },
    { name: 'selector', text: pairs(spec['selector']) },
  ],
  PersistentVolumeClaim: ({ spec, status }) => [
    { name: 'requests', text: amounts(recordAt(spec, 'resources')['requests'], ['storage']) },
    { name: 'capacity', text: amounts(status['capacity'], ['storage']) },
    { name: 'accessModes', text: words(spec['accessModes']) },
    mention('storageClassName', {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      name: textAt(spec, 'storageClassName'),
    }),
    mention('volumeName', { apiVersion: 'v1', kind: 'PersistentVolume', name: textAt(spec, 'volumeName') }),
  ],
  PersistentVolume: ({ spec }) => {
    const claim = recordAt(spec, 'claimRef');
    const [namespace, name] = [textAt(claim, 'namespace'), textAt(claim, 'name')];
    return [
      { name: 'capacity', text: amounts(spec['capacity'], ['storage']) },
      { name: 'accessModes', text: words(spec['accessModes']) },
      ...plain(spec, 'persistentVolumeReclaimPolicy', 'storageClassName'),
      mention('claimRef', { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace }),
    ];
  },
  HorizontalPodAutoscaler: ({ spec, status }) => {
    const target = recordAt(spec, 'scaleTargetRef');
    const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((field) => textAt(target, field));
    return [
      mention('scaleTargetRef', { apiVersion: apiVersion ?? '', kind: kind ?? '', name: name ?? '' }),
      ...plain(spec, 'minReplicas', 'maxReplicas'),
      ...plain(status, 'currentReplicas', 'desiredReplicas'),
      {
        name: 'metrics',
        text: listAt(spec, 'metrics')
          .map((metric) => metricText(metric, status))
          .join(', '),
      },
    ];
  },
  CronJob: ({ spec, status }) => [
    ...plain(spec, 'schedule', 'timeZone', 'concurrencyPolicy', 'suspend'),
    ...plain(status, 'lastScheduleTime', 'lastSuccessfulTime'),
  ],
  Job: ({ spec, status }) => [
    ...plain(spec, 'completions', 'parallelism', 'backoffLimit'),
    ...plain(status, 'active', 'succeeded', 'failed', 'startTime', 'completionTime'),
  ],
  Deployment: ({ spec }) => [
    { name: 'selector', text: pairs(recordAt(spec, 'selector')['matchLabels']) },
    { name: 'strategy', text: strategyText(recordAt(spec, 'strategy')) },
    ...plain(spec, 'minReadySeconds', 'paused'),
  ],
  StatefulSet: ({ spec }) => [
    mention('serviceName', { apiVersion: 'v1', kind: 'Service', name: textAt(spec, 'serviceName') }),
    { name: 'selector', text: pairs(recordAt(spec, 'selector')['matchLabels']) },
    { name: 'strategy', text: strategyText(recordAt(spec, 'updateStrategy')) },
  ],
  DaemonSet: ({ spec }) => [
    { name: 'selector', text: pairs(recordAt(spec, 'selector')['matchLabels']) },
    { name: 'strategy', text: strategyText(recordAt(spec, 'updateStrategy')) },
  ],
  ReplicaSet: ({ spec }) => [{ name: 'selector', text: pairs(recordAt(spec, 'selector')['matchLabels']) }],
  Secret: ({ object }) => plain(object, 'type', 'immutable'),
  ConfigMap: ({ object }) => plain(object, 'immutable'),
  Namespace: () => [],
  Event: ({ object }) => plain(object, 'type', 'reason', 'message', 'count', 'lastTimestamp', 'reportingComponent'),
  StorageClass: ({ object }) =>
    plain(object, 'provisioner', 'reclaimPolicy', 'volumeBindingMode', 'allowVolumeExpansion'),
  CustomResourceDefinition: ({ spec }) => [
    ...plain(spec, 'group', 'scope'),
    ...plain(recordAt(spec, 'names'), 'kind'),
    {
      name: 'versions',
      text: listAt(spec, 'versions')
        .map(({ name }) => String(name))
        .join(', '),
    },
  ],
  Ingress: ({ spec }) => [...plain(spec, 'ingressClassName'), ...listAt(spec, 'rules').flatMap(ruleParticulars)],
  Role: ({ object }) => listAt(object, 'rules').map(accessRule),
  ClusterRole: ({ object }) => listAt(object, 'rules').map(accessRule),
  RoleBinding: bindingParticulars,
  ClusterRoleBinding: bindingParticulars,
};

function bindingParticulars({ object }: Parts): Particular[] {
  const role = recordAt(object, 'roleRef');
  const apiVersion = `${textAt(role, 'apiGroup')}/v1`;
  return [
    mention('roleRef', { apiVersion, kind: textAt(role, 'kind'), name: textAt(role, 'name') }),
    ...listAt(object, 'subjects').map(({ kind, name, namespace }): Particular => {
      const text = `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
      const to = { apiVersion: 'v1', kind: 'ServiceAccount', name: String(name), namespace: String(namespace) };
      return { name: 'subjects', text, ...(kind === 'ServiceAccount' && { to }) };
    }),
  ];
}

function accessRule({ verbs, resources, apiGroups, nonResourceURLs, resourceNames }: Fields): Particular {
  const groups = words(apiGroups);
  const what = words(resources ?? nonResourceURLs) + (groups ? ` (${groups})` : '');
  return { name: words(verbs), text: what + (resourceNames ? `: ${words(resourceNames)}` : '') };
}

function ruleParticulars({ host, http }: Fields): Particular[] {
  const paths = isRecord(http) ? listAt(http, 'paths') : [];
  return paths.map(({ path, backend }) => {
    const service = recordAt(isRecord(backend) ? backend : {}, 'service');
    const port = recordAt(service, 'port');
    const name = textAt(service, 'name');
    return {
      name: `${host ?? '*'}${path ?? ''}`,
      text: `${name}:${port['number'] ?? port['name'] ?? ''}`,
      to: { apiVersion: 'v1', kind: 'Service', name },
    };
  });
}

function metricText(metric: Fields, status: Fields): string {
  const resource = recordAt(metric, 'resource');
  const target = recordAt(resource, 'target');
  const name = textAt(resource, 'name') || textAt(metric, 'type');
  const goal =
    target['averageUtilization'] === undefined ? target['averageValue'] : `${target['averageUtilization']} %`;
  const now = listAt(status, 'currentMetrics')
    .map((one) => recordAt(one, 'resource'))
    .find((one) => one['name'] === resource['name']);
  const use = recordAt(now ?? {}, 'current')['averageUtilization'];
  return `${name} ${use === undefined ? '–' : `${use} %`} / ${goal ?? '–'}`;
}

function strategyText(strategy: Fields): string {
  const rolling = recordAt(strategy, 'rollingUpdate');
  const details = Object.entries(rolling).map(([name, value]) => `${name} ${value}`);
  return [textAt(strategy, 'type'), ...details].filter(Boolean).join(', ');
}

function taintText({ key, value, effect }: Fields): string {
  return `${key}${value ? `=${value}` : ''}:${effect}`;
}

function portText({ name, port, targetPort, nodePort, protocol = 'TCP' }: Fields): string {
  return `${name ? `${name} ` : ''}${port}→${targetPort ?? port}/${protocol}${nodePort ? ` (node ${nodePort})` : ''}`;
}

function plain(fields: Fields, ...names: string[]): Particular[] {
  return names.map((name) => ({ name, text: textAt(fields, name) }));
}

function mention(name: string, to: Mention): Particular {
  const text = to.namespace ? `${to.namespace}/${to.name}` : to.name;
  return { name, text, ...(to.name && { to }) };
}

function textAt(fields: Fields, name: string): string {
  const value = fields[name];
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : '';
}

function recordAt(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isRecord(value) ? value : {};
}

function listAt(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function words(value: unknown): string {
  return Array.isArray(value) ? value.map(String).filter(Boolean).join(', ') : '';
}

function pairs(value: unknown): string {
  return isRecord(value)
    ? Object.entries(value)
        .map(([name, one]) => `${name}=${one}`)
        .join(', ')
    : '';
}

function amounts(value: unknown, names: readonly string[]): string {
  if (!isRecord(value)) return '';
  const there = names.filter((name) => value[name] !== undefined);
  return there.map((name) => (names.length > 1 ? `${name} ${value[name]}` : String(value[name]))).join(', ');
}
