import { CommandError } from '../command/command-error.js';
import { type Fields, isRecord, recordAt, recordsAt, stringMapAt, textAt } from '../values.js';
import {
  changeAt,
  changeFields,
  type FieldSpec,
  podSpecs,
  readFieldSpecs,
  specFits,
  splitPath,
} from './field-paths.js';
import { type KustomizeResource, kindOf, nameOf, namespaceOf, rememberName, rename } from './resource.js';

const templates = ['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet', 'ReplicationController', 'Job'];

const labelFields: readonly FieldSpec[] = [{ path: 'metadata/labels', create: true }];
const templateLabelFields: readonly FieldSpec[] = [
  { path: 'spec/template/metadata/labels', kinds: templates, create: true },
  { path: 'spec/jobTemplate/metadata/labels', kinds: ['CronJob'], create: true },
  { path: 'spec/jobTemplate/spec/template/metadata/labels', kinds: ['CronJob'], create: true },
  { path: 'spec/volumeClaimTemplates/metadata/labels', kinds: ['StatefulSet'], create: true },
];
const selectorFields: readonly FieldSpec[] = [
  { path: 'spec/selector', kinds: ['Service', 'ReplicationController'], create: true },
  { path: 'spec/selector/matchLabels', kinds: ['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet'], create: true },
  { path: 'spec/selector/matchLabels', kinds: ['Job', 'PodDisruptionBudget'] },
  { path: 'spec/jobTemplate/spec/selector/matchLabels', kinds: ['CronJob'] },
  { path: 'spec/podSelector/matchLabels', kinds: ['NetworkPolicy'] },
  { path: 'spec/ingress/from/podSelector/matchLabels', kinds: ['NetworkPolicy'] },
  { path: 'spec/egress/to/podSelector/matchLabels', kinds: ['NetworkPolicy'] },
  ...['podAffinity', 'podAntiAffinity'].flatMap((affinity) => [
    {
      path: `spec/template/spec/affinity/${affinity}/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels`,
      kinds: templates,
    },
    {
      path: `spec/template/spec/affinity/${affinity}/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels`,
      kinds: templates,
    },
  ]),
  { path: 'spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels', kinds: templates },
];
const annotationFields: readonly FieldSpec[] = [
  { path: 'metadata/annotations', create: true },
  { path: 'spec/template/metadata/annotations', kinds: templates, create: true },
  { path: 'spec/jobTemplate/metadata/annotations', kinds: ['CronJob'], create: true },
  { path: 'spec/jobTemplate/spec/template/metadata/annotations', kinds: ['CronJob'], create: true },
];

/** The fields that transformers change besides those of built-in kinds: `configurations` of a kustomization. */
export interface ExtraFields {
  readonly namePrefix: readonly FieldSpec[];
  readonly nameSuffix: readonly FieldSpec[];
  readonly namespace: readonly FieldSpec[];
  readonly commonLabels: readonly FieldSpec[];
  readonly templateLabels: readonly FieldSpec[];
  readonly commonAnnotations: readonly FieldSpec[];
  readonly images: readonly FieldSpec[];
  readonly replicas: readonly FieldSpec[];
}

/** Adds pairs to the maps that specs name. */
export function addPairs(
  resources: readonly KustomizeResource[],
  specs: readonly FieldSpec[],
  pairs: Readonly<Record<string, string>>,
): void {
  changeFields(resources, specs, (value) => ({ ...(isRecord(value) ? value : {}), ...pairs }));
}

/** `labels` and `commonLabels`. */
export function addLabels(resources: readonly KustomizeResource[], config: Fields, extra: ExtraFields): void {
  for (const entry of recordsAt(config, 'labels')) {
    const withSelectors = entry['includeSelectors'] === true;
    const specs = [
      ...labelFields,
      ...(withSelectors || entry['includeTemplates'] === true ? [...templateLabelFields, ...extra.templateLabels] : []),
      ...(withSelectors ? [...selectorFields, ...extra.commonLabels] : []),
      ...readFieldSpecs(entry['fields']),
    ];
    addPairs(resources, specs, stringMapAt(entry, 'pairs'));
  }
  const common = stringMapAt(config, 'commonLabels');
  if (Object.keys(common).length > 0)
    addPairs(resources, [...labelFields, ...templateLabelFields, ...selectorFields, ...extra.commonLabels], common);
}

export function addAnnotations(resources: readonly KustomizeResource[], config: Fields, extra: ExtraFields): void {
  const annotations = stringMapAt(config, 'commonAnnotations');
  if (Object.keys(annotations).length > 0)
    addPairs(resources, [...annotationFields, ...extra.commonAnnotations], annotations);
}

const clusterScoped = new Set([
  'Namespace',
  'Node',
  'PersistentVolume',
  'StorageClass',
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'PriorityClass',
  'APIService',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'IngressClass',
  'RuntimeClass',
  'CSIDriver',
  'CSINode',
  'VolumeAttachment',
  'CertificateSigningRequest',
  'FlowSchema',
  'PriorityLevelConfiguration',
  'ClusterTrustBundle',
]);

export interface NamespaceSettings {
  readonly namespace: string;
  /** Other fields that hold the namespace. */
  readonly specs?: readonly FieldSpec[];
  /** Objects that have a namespace keep it. */
  readonly unsetOnly?: boolean;
  /** Which service accounts of bindings move: `defaultOnly`, `allServiceAccounts` or `none`. */
  readonly subjects?: string;
}

/** Objects, the accounts in bindings and the services of webhooks move to a namespace. */
export function setNamespace(resources: readonly KustomizeResource[], settings: NamespaceSettings): void {
  const { namespace, specs = [], unsetOnly = false, subjects = '' } = settings;
  if (namespace === '') return;
  const moved = (value: unknown) => (unsetOnly && value ? value : namespace);
  for (const resource of resources) {
    rememberName(resource);
    const kind = kindOf(resource.object);
    if (kind === 'Namespace') rename(resource, namespace);
    else if (!clusterScoped.has(kind)) {
      const metadata = { ...recordAt(resource.object, 'metadata'), namespace: moved(namespaceOf(resource.object)) };
      resource.object = { ...resource.object, metadata };
    }
    if (kind === 'RoleBinding' || kind === 'ClusterRoleBinding')
      moveSubjects(resource, { resources, namespace, which: subjects });
    if (/WebhookConfiguration$/.test(kind))
      resource.object = changeAt(resource.object, splitPath('webhooks/clientConfig/service/namespace'), {
        change: moved,
      });
    if (kind === 'APIService')
      resource.object = changeAt(resource.object, splitPath('spec/service/namespace'), { change: moved });
  }
  changeFields(resources, specs, moved);
}

interface SubjectMove {
  readonly resources: readonly KustomizeResource[];
  readonly namespace: string;
  readonly which: string;
}

function moveSubjects(resource: KustomizeResource, { resources, namespace, which }: SubjectMove): void {
  if (which === 'none') return;
  const isOurs = (name: unknown) =>
    which === 'allServiceAccounts' ||
    name === 'default' ||
    (which !== 'defaultOnly' &&
      resources.some((one) => kindOf(one.object) === 'ServiceAccount' && one.names.some((old) => old.name === name)));
  const subjects = recordsAt(resource.object, 'subjects').map((subject) =>
    subject['kind'] === 'ServiceAccount' && isOurs(subject['name']) ? { ...subject, namespace } : subject,
  );
  if (subjects.length > 0) resource.object = { ...resource.object, subjects };
}

const keptNames = ['CustomResourceDefinition', 'APIService', 'Namespace'];

export interface AffixSettings {
  readonly prefix?: string;
  readonly suffix?: string;
  /** Fields besides the name; or with `onlySpecs` the fields alone. */
  readonly specs?: readonly FieldSpec[];
  readonly onlySpecs?: boolean;
}

export function addAffixes(resources: readonly KustomizeResource[], settings: AffixSettings): void {
  const { prefix = '', suffix = '', specs = [], onlySpecs = false } = settings;
  if (prefix === '' && suffix === '') return;
  const named = specs.filter(({ path }) => path === 'metadata/name');
  for (const resource of resources) {
    if (keptNames.includes(kindOf(resource.object))) continue;
    if (onlySpecs && !named.some((spec) => specFits(spec, resource.object))) continue;
    rememberName(resource);
    rename(resource, `${prefix}${nameOf(resource.object)}${suffix}`);
  }
  const others = specs.filter(({ path }) => path !== 'metadata/name');
  changeFields(resources, others, (value) => (typeof value === 'string' ? `${prefix}${value}${suffix}` : value));
}

const replicaFields: readonly FieldSpec[] = [
  {
    path: 'spec/replicas',
    kinds: ['Deployment', 'ReplicaSet', 'ReplicationController', 'StatefulSet'],
    create: true,
  },
];

/** Entries of `replicas`: each must fit something. */
export function setReplicas(
  resources: readonly KustomizeResource[],
  config: Fields,
  extra: readonly FieldSpec[],
): void {
  for (const entry of recordsAt(config, 'replicas'))
    if (!scaleNamed(resources, entry, [...replicaFields, ...extra]))
      throw new CommandError(
        `resource with name ${textAt(entry, 'name')} does not match a config with the following GVK [Deployment.v1.apps ReplicaSet.v1.apps ReplicationController.[noVer].[noGrp] StatefulSet.v1.apps]`,
      );
}

/** Sets the count of what has, or had, the entry's name. Says whether anything has. */
export function scaleNamed(
  resources: readonly KustomizeResource[],
  entry: Fields,
  specs: readonly FieldSpec[],
): boolean {
  const name = textAt(entry, 'name');
  const targets = resources.filter(
    (one) =>
      specs.some((spec) => specFits(spec, one.object)) &&
      (nameOf(one.object) === name || one.names.some((old) => old.name === name)),
  );
  changeFields(targets, specs, () => Number(entry['count'] ?? 0));
  return targets.length > 0;
}

/** Entries of `images`. */
export function setImages(resources: readonly KustomizeResource[], config: Fields, extra: readonly FieldSpec[]): void {
  for (const entry of recordsAt(config, 'images')) setImage(resources, entry, extra);
}

export function setImage(resources: readonly KustomizeResource[], entry: Fields, extra: readonly FieldSpec[]): void {
  const change = (value: unknown) => (typeof value === 'string' ? newImage(value, entry) : value);
  for (const resource of resources) {
    const pods = podSpecs[kindOf(resource.object)];
    if (pods === undefined) continue;
    for (const list of ['containers', 'initContainers', 'ephemeralContainers'])
      resource.object = changeAt(resource.object, splitPath(`${pods}/${list}/image`), { change });
  }
  changeFields(resources, extra, change);
}

/** `name[:tag][@digest]` */
function newImage(image: string, entry: Fields): string {
  const match = /^(.*?)(?::([^/:@]+))?(?:@(.+))?$/.exec(image);
  const [, name = '', tag, digest] = match ?? [];
  if (name !== textAt(entry, 'name')) return image;
  const base = textAt(entry, 'newName') || name;
  const [newTag, newDigest, tagSuffix] = [textAt(entry, 'newTag'), textAt(entry, 'digest'), textAt(entry, 'tagSuffix')];
  if (newTag !== '' && newDigest !== '') return `${base}:${newTag}@${newDigest}`;
  if (newTag !== '') return `${base}:${newTag}`;
  if (newDigest !== '') return `${base}@${newDigest}`;
  const keptTag = tag === undefined ? '' : `:${tag}${tagSuffix}`;
  return `${base}${keptTag}${digest === undefined ? '' : `@${digest}`}`;
}
