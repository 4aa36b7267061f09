import { FieldPath, type ObjectMeta, parseQuantity } from '@coracle/apimachinery';
import type { Container, ContainerPort, Pod, PodSpec, PodTemplateSpec, Volume } from '../../generated/types/core-v1.js';
import { visitContainers } from './visit-containers.js';
import { overlappingPathWarnings } from './volume-overlap.warnings.js';

/** Advice on pods that can be made but hardly do what was meant. */
export function podWarnings(pod: Pod, previous?: Pod): string[] {
  if (previous && JSON.stringify(previous.spec) === JSON.stringify(pod.spec)) return [];
  return pod.spec ? warningsFor(FieldPath.of(), pod.spec, { meta: pod.metadata, isTemplate: false }) : [];
}

/** The same for a template, which stands at `path`. */
export function podTemplateWarnings(path: FieldPath, template?: PodTemplateSpec, previous?: PodTemplateSpec): string[] {
  if (!template?.spec || (previous && JSON.stringify(previous) === JSON.stringify(template))) return [];
  return warningsFor(path, template.spec, { meta: template.metadata, isTemplate: true });
}

interface WarningContext {
  readonly meta: ObjectMeta | undefined;
  readonly isTemplate: boolean;
}

function warningsFor(path: FieldPath, spec: PodSpec, context: WarningContext): string[] {
  const specPath = path.child('spec');
  return [
    ...nodeLabelWarnings(specPath, spec),
    ...topologyWarnings(specPath.child('topologySpreadConstraints'), spec),
    ...annotationWarnings(path, spec, context),
    ...volumeWarnings(specPath.child('volumes'), spec.volumes ?? []),
    ...overlappingPathWarnings(spec.volumes ?? []),
    ...repeatedWarnings(specPath, spec),
    ...fractionWarnings(specPath.child('overhead'), spec.overhead),
    ...containerWarnings(specPath, spec),
    ...portWarnings(specPath, spec),
    ...gracePeriodWarnings(specPath, spec),
  ];
}

const deprecatedNodeLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

function nodeLabelWarnings(path: FieldPath, { nodeSelector = {}, affinity }: PodSpec): string[] {
  const selectorPath = path.child('nodeSelector');
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  const nodePath = path.child('affinity', 'nodeAffinity');
  const terms = [
    ...(affinity?.nodeAffinity?.[required]?.nodeSelectorTerms ?? []).map((term, index) => ({
      term,
      at: nodePath.child(required, 'nodeSelectorTerms').index(index),
    })),
    ...(affinity?.nodeAffinity?.[preferred] ?? []).map(({ preference }, index) => ({
      term: preference,
      at: nodePath.child(preferred).index(index).child('preference'),
    })),
  ];
  return [
    ...Object.keys(nodeSelector)
      .sort()
      .filter((key) => key in deprecatedNodeLabels)
      .map((key) => `${selectorPath.key(key)}: ${deprecatedNodeLabels[key]}`),
    ...terms.flatMap(({ term, at }) =>
      (term?.matchExpressions ?? []).flatMap(({ key }, index) =>
        key in deprecatedNodeLabels
          ? [`${at.child('matchExpressions').index(index).child('key')}: ${key} is ${deprecatedNodeLabels[key]}`]
          : [],
      ),
    ),
  ];
}

function topologyWarnings(path: FieldPath, { topologySpreadConstraints = [] }: PodSpec): string[] {
  return topologySpreadConstraints.flatMap(({ topologyKey, labelSelector }, index) => {
    const deprecated = deprecatedNodeLabels[topologyKey];
    const selectorPath = path.index(index).child('labelSelector');
    return [
      ...(deprecated ? [`${path.index(index).child('topologyKey')}: ${topologyKey} is ${deprecated}`] : []),
      ...(labelSelector ? [] : [`${selectorPath}: a null labelSelector results in matching no pod`]),
    ];
  });
}

const deprecatedAnnotations: readonly [string, string][] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];

function annotationWarnings(path: FieldPath, spec: PodSpec, { meta, isTemplate }: WarningContext): string[] {
  const annotations = meta?.annotations ?? {};
  const at = path.child('metadata', 'annotations');
  const useSeccompField = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  const warn = (key: string, advice: string) => (annotations[key] === undefined ? [] : [`${at.key(key)}: ${advice}`]);
  const ofPod = spec.securityContext;
  const ofContainers = [...visitContainers(path, spec)].flatMap(({ container: { name, securityContext } }) => [
    ...(securityContext?.seccompProfile
      ? []
      : warn(`container.seccomp.security.alpha.kubernetes.io/${name}`, useSeccompField)),
    ...(isTemplate && !ofPod?.appArmorProfile && !securityContext?.appArmorProfile
      ? warn(
          `container.apparmor.security.beta.kubernetes.io/${name}`,
          'deprecated since v1.30; use the "appArmorProfile" field instead',
        )
      : []),
  ]);
  return [
    ...deprecatedAnnotations.flatMap(([key, advice]) => warn(key, advice)),
    ...(ofPod?.seccompProfile ? [] : warn('seccomp.security.alpha.kubernetes.io/pod', useSeccompField)),
    ...ofContainers,
  ];
}

/** Volumes of plugins that are on their way out or gone, with how messages call them. */
const deprecatedVolumes: readonly [keyof Volume, string, string][] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

function volumeWarnings(path: FieldPath, volumes: readonly Volume[]): string[] {
  return volumes.flatMap((volume, index) =>
    deprecatedVolumes
      .filter(([source]) => volume[source] !== undefined)
      .map(([, name, advice]) => `${path.index(index).child(name)}: ${advice}`),
  );
}

function repeatedWarnings(path: FieldPath, { hostAliases = [], imagePullSecrets = [] }: PodSpec): string[] {
  const ips = new Set<string>();
  const names = new Set<string>();
  const aliases = hostAliases.flatMap(({ ip }, index) => {
    const repeated = ips.has(ip);
    ips.add(ip);
    return repeated
      ? [`${path.child('hostAliases').index(index).child('ip')}: duplicate ip ${JSON.stringify(ip)}`]
      : [];
  });
  const secretPath = (index: number) => path.child('imagePullSecrets').index(index).child('name');
  const secrets = imagePullSecrets.flatMap(({ name = '' }, index) => {
    const repeated = names.has(name);
    names.add(name);
    return repeated ? [`${secretPath(index)}: duplicate name ${JSON.stringify(name)}`] : [];
  });
  const empty = imagePullSecrets.flatMap(({ name }, index) =>
    name ? [] : [`${secretPath(index)}: invalid empty name ""`],
  );
  return [...aliases, ...secrets, ...empty];
}

/** Bytes come whole. */
function fractionWarnings(
  path: FieldPath,
  list: Readonly<Record<string, string>> = {},
  names = ['memory', 'ephemeral-storage'],
): string[] {
  return names.flatMap((name) => {
    const quantity = list[name];
    if (quantity === undefined || parseQuantity(quantity).milliValue() % 1000 === 0) return [];
    return [`${path.key(name)}: fractional byte value ${JSON.stringify(quantity)} is invalid, must be an integer`];
  });
}

function containerWarnings(path: FieldPath, spec: PodSpec): string[] {
  return [...visitContainers(path, spec)].flatMap(({ container, path: at }) => [
    ...['memory', 'ephemeral-storage'].flatMap((name) => [
      ...fractionWarnings(at.child('resources', 'limits'), container.resources?.limits, [name]),
      ...fractionWarnings(at.child('resources', 'requests'), container.resources?.requests, [name]),
    ]),
    ...environmentWarnings(at.child('env'), container),
  ]);
}

/** A second definition of a variable hides the first, unless it is made from it. */
function environmentWarnings(path: FieldPath, { env = [] }: Container): string[] {
  const seen = new Set<string>();
  return env.flatMap(({ name, value = '', valueFrom }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const reference = `$(${name})`;
    if (!valueFrom && value !== reference && value.includes(reference)) return [];
    return [
      `${path.index(index)}: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}

interface PlacedPort {
  readonly port: ContainerPort;
  readonly path: FieldPath;
}

function portWarnings(path: FieldPath, spec: PodSpec): string[] {
  const seen = new Map<string, PlacedPort[]>();
  return [...visitContainers(path, spec)].flatMap(({ container, path: at }) =>
    (container.ports ?? []).flatMap((port, index) => {
      const placed = { port, path: at.child('ports').index(index) };
      const key = `${port.containerPort}/${port.protocol}`;
      const others = seen.get(key) ?? [];
      seen.set(key, [...others, placed]);
      return [...hostAddressWarnings(placed), ...others.flatMap((other) => conflictWarnings(placed, other))];
    }),
  );
}

function hostAddressWarnings({ port, path }: PlacedPort): string[] {
  const { hostIP, hostPort = 0, name = '', containerPort, protocol } = port;
  if (!hostIP || hostPort !== 0) return [];
  const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
  return [`${path}: hostIP set without hostPort: ${shown}`];
}

function conflictWarnings({ port, path }: PlacedPort, other: PlacedPort): string[] {
  const { hostPort = 0, hostIP = '' } = port;
  const { hostPort: otherPort = 0, hostIP: otherIP = '' } = other.port;
  if (hostIP === otherIP && hostPort === otherPort) return [`${path}: duplicate port definition with ${other.path}`];
  if (hostPort === 0 || otherPort === 0) return [`${path}: overlapping port definition with ${other.path}`];
  if (hostPort !== otherPort || (hostIP === '') === (otherIP === '')) return [];
  return [`${path}: dangerously ambiguous port definition with ${other.path}`];
}

function gracePeriodWarnings(path: FieldPath, { terminationGracePeriodSeconds: seconds = 0 }: PodSpec): string[] {
  if (seconds >= 0) return [];
  return [
    `${path.child('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`,
  ];
}
