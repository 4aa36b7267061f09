import { FieldPath, type ObjectMeta, parseQuantity } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { Container, ContainerPort, Pod, PodSpec, PodTemplateSpec, Volume } from '../../generated/types/core-v1.js';
import { deprecatedLabelsOf, deprecationOfNodeLabel, nodeSelectorTermWarnings } from './node-selector.warnings.js';
import { type VisitedContainer, visitContainers } from './visit-containers.js';
import { overlappingPathWarnings } from './volume-overlap.warnings.js';

/** Warnings about valid pods that probably do not work as intended. */
export function podWarnings(pod: Pod, previous?: Pod): string[] {
  if (previous && deepEqual(previous.spec, pod.spec)) return [];
  const { spec, metadata } = pod;
  if (!spec) return [];
  return warningsFor(FieldPath.of(), spec, { meta: metadata, isTemplate: false });
}

/** The same for a template at `path`. */
export function podTemplateWarnings(path: FieldPath, template?: PodTemplateSpec, previous?: PodTemplateSpec): string[] {
  if (!template?.spec || (previous && deepEqual(previous, template))) return [];
  return warningsFor(path, template.spec, { meta: template.metadata, isTemplate: true });
}

interface WarningContext {
  readonly meta: ObjectMeta | undefined;
  readonly isTemplate: boolean;
}

/**
 * Most pods have none, and every pod is looked at: so the parts add to one list, and name places only when they must.
 */
function warningsFor(path: FieldPath, spec: PodSpec, context: WarningContext): string[] {
  const found: string[] = [];
  const specPath = path.child('spec');
  const containers = visitContainers(specPath, spec);
  if (spec.nodeSelector) nodeSelectorWarnings(found, specPath.child('nodeSelector'), spec.nodeSelector);
  if (spec.affinity?.nodeAffinity) nodeAffinityWarnings(found, specPath, spec);
  if (spec.topologySpreadConstraints) topologyWarnings(found, specPath, spec);
  if (context.meta?.annotations) annotationWarnings(found, path, { spec, containers, ...context });
  if (spec.volumes) {
    volumeWarnings(found, specPath.child('volumes'), spec.volumes);
    found.push(...overlappingPathWarnings(spec.volumes));
  }
  if (spec.hostAliases) hostAliasWarnings(found, specPath.child('hostAliases'), spec);
  if (spec.imagePullSecrets) pullSecretWarnings(found, specPath.child('imagePullSecrets'), spec);
  fractionWarnings(found, spec.overhead, (name) => specPath.child('overhead').key(name));
  for (const { container, path: at } of containers) containerWarnings(found, at, container);
  portWarnings(found, containers);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const at = specPath.child('terminationGracePeriodSeconds');
    found.push(`${at}: must be >= 0; negative values are invalid and will be treated as 1`);
  }
  return found;
}

function nodeSelectorWarnings(found: string[], path: FieldPath, nodeSelector: Readonly<Record<string, string>>): void {
  for (const [key, advice] of deprecatedLabelsOf(nodeSelector)) found.push(`${path.key(key)}: ${advice}`);
}

function nodeAffinityWarnings(found: string[], path: FieldPath, { affinity }: PodSpec): void {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  const nodePath = path.child('affinity', 'nodeAffinity');
  const terms = [
    ...(affinity?.nodeAffinity?.[required]?.nodeSelectorTerms ?? []).map((term, index) => ({
      term,
      at: nodePath.child(required, 'nodeSelectorTerms').index(index),
      checksValues: false,
    })),
    ...(affinity?.nodeAffinity?.[preferred] ?? []).map(({ preference }, index) => ({
      term: preference,
      at: nodePath.child(preferred).index(index).child('preference'),
      checksValues: true,
    })),
  ];
  for (const { term, at, checksValues } of terms)
    if (term) found.push(...nodeSelectorTermWarnings(at, term, { checksValues }));
}

function topologyWarnings(found: string[], path: FieldPath, { topologySpreadConstraints }: PodSpec): void {
  topologySpreadConstraints?.forEach(({ topologyKey, labelSelector }, index) => {
    const at = path.child('topologySpreadConstraints').index(index);
    const deprecated = deprecationOfNodeLabel(topologyKey);
    if (deprecated) found.push(`${at.child('topologyKey')}: ${topologyKey} is ${deprecated}`);
    if (!labelSelector) found.push(`${at.child('labelSelector')}: a null labelSelector results in matching no pod`);
  });
}

const deprecatedAnnotations: readonly [string, string][] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];

const useSeccompField = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const useAppArmorField = 'deprecated since v1.30; use the "appArmorProfile" field instead';

interface AnnotatedPod extends WarningContext {
  readonly spec: PodSpec;
  readonly containers: readonly VisitedContainer[];
}

function annotationWarnings(found: string[], path: FieldPath, pod: AnnotatedPod): void {
  const annotations = pod.meta?.annotations ?? {};
  const warn = (key: string, advice: string): void => {
    if (annotations[key] !== undefined) found.push(`${path.child('metadata', 'annotations').key(key)}: ${advice}`);
  };
  const ofPod = pod.spec.securityContext;
  for (const [key, advice] of deprecatedAnnotations) warn(key, advice);
  if (!ofPod?.seccompProfile) warn('seccomp.security.alpha.kubernetes.io/pod', useSeccompField);
  for (const { container } of pod.containers) {
    const { name, securityContext: own } = container;
    if (!own?.seccompProfile) warn(`container.seccomp.security.alpha.kubernetes.io/${name}`, useSeccompField);
    if (pod.isTemplate && !ofPod?.appArmorProfile && !own?.appArmorProfile) {
      warn(`container.apparmor.security.beta.kubernetes.io/${name}`, useAppArmorField);
    }
  }
}

/** Volumes of plugins that are deprecated or removed, with how messages call them. */
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

function volumeWarnings(found: string[], path: FieldPath, volumes: readonly Volume[]): void {
  volumes.forEach((volume, index) => {
    for (const [source, name, advice] of deprecatedVolumes) {
      if (volume[source] !== undefined) found.push(`${path.index(index).child(name)}: ${advice}`);
    }
  });
}

function hostAliasWarnings(found: string[], path: FieldPath, { hostAliases = [] }: PodSpec): void {
  const seen = new Set<string>();
  hostAliases.forEach(({ ip }, index) => {
    if (seen.has(ip)) found.push(`${path.index(index).child('ip')}: duplicate ip ${JSON.stringify(ip)}`);
    seen.add(ip);
  });
}

function pullSecretWarnings(found: string[], path: FieldPath, { imagePullSecrets = [] }: PodSpec): void {
  const seen = new Set<string>();
  imagePullSecrets.forEach(({ name = '' }, index) => {
    if (seen.has(name)) found.push(`${path.index(index).child('name')}: duplicate name ${JSON.stringify(name)}`);
    seen.add(name);
  });
  imagePullSecrets.forEach(({ name }, index) => {
    if (!name) found.push(`${path.index(index).child('name')}: invalid empty name ""`);
  });
}

type Amounts = Readonly<Record<string, string>> | undefined;

const wholeResources = ['memory', 'ephemeral-storage'];

/** Bytes come whole. */
function fractionWarnings(found: string[], amounts: Amounts, pathOf: (name: string) => FieldPath): void {
  if (amounts) for (const name of wholeResources) fractionWarning(found, amounts[name], () => pathOf(name));
}

function fractionWarning(found: string[], quantity: string | undefined, path: () => FieldPath): void {
  if (quantity === undefined || parseQuantity(quantity).milliValue() % 1000 === 0) return;
  found.push(`${path()}: fractional byte value ${JSON.stringify(quantity)} is invalid, must be an integer`);
}

function containerWarnings(found: string[], path: FieldPath, { resources, env }: Container): void {
  if (resources) {
    for (const name of wholeResources) {
      fractionWarning(found, resources.limits?.[name], () => path.child('resources', 'limits').key(name));
      fractionWarning(found, resources.requests?.[name], () => path.child('resources', 'requests').key(name));
    }
  }
  if (env && env.length > 1) environmentWarnings(found, path.child('env'), env);
}

/** A second definition of a variable hides the first, unless it is made from it. */
function environmentWarnings(found: string[], path: FieldPath, env: NonNullable<Container['env']>): void {
  const seen = new Set<string>();
  env.forEach(({ name, value = '', valueFrom }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return;
    }
    const reference = `$(${name})`;
    if (!valueFrom && value !== reference && value.includes(reference)) return;
    const hidden = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    found.push(`${path.index(index)}: ${hidden}`);
  });
}

interface PlacedPort {
  readonly port: ContainerPort;
  readonly path: FieldPath;
}

/**
 * Answers have room for fewer. Each port is compared with each, so a pod of a thousand equal ones would have half a
 * million.
 */
const mostWarnings = 200;

function portWarnings(found: string[], containers: readonly VisitedContainer[]): void {
  const seen = new Map<number, PlacedPort[]>();
  for (const { container, path } of containers) {
    container.ports?.forEach((port, index) => {
      const placed = { port, path: path.child('ports').index(index) };
      hostAddressWarning(found, placed);
      const others = seen.get(port.containerPort);
      if (!others) seen.set(port.containerPort, [placed]);
      else if (found.length < mostWarnings) {
        for (const other of others) if (other.port.protocol === port.protocol) conflictWarning(found, placed, other);
        others.push(placed);
      }
    });
  }
}

function hostAddressWarning(found: string[], { port, path }: PlacedPort): void {
  const { hostIP, hostPort = 0, name = '', containerPort, protocol } = port;
  if (!hostIP || hostPort !== 0) return;
  const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
  found.push(`${path}: hostIP set without hostPort: ${shown}`);
}

function conflictWarning(found: string[], { port, path }: PlacedPort, other: PlacedPort): void {
  const { hostPort = 0, hostIP = '' } = port;
  const { hostPort: otherPort = 0, hostIP: otherIP = '' } = other.port;
  if (hostIP === otherIP && hostPort === otherPort) {
    found.push(`${path}: duplicate port definition with ${other.path}`);
  } else if (hostPort === 0 || otherPort === 0) {
    found.push(`${path}: overlapping port definition with ${other.path}`);
  } else if (hostPort === otherPort && (hostIP === '') !== (otherIP === '')) {
    found.push(`${path}: dangerously ambiguous port definition with ${other.path}`);
  }
}
