import { CommandError } from '../command/command-error.js';
import { type Fields, isRecord, recordAt, recordsAt, stringMapAt, textAt } from '../values.js';
import { changeAt, type FieldSpec, podSpecs, specFits, splitPath } from './field-paths.js';
import { groupVersionOf, type KustomizeResource, kindOf, nameOf, rememberName, rename } from './resource.js';

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

function mergeInto(
  resources: readonly KustomizeResource[],
  specs: readonly FieldSpec[],
  pairs: Readonly<Record<string, string>>,
): void {
  for (const resource of resources) {
    const { group } = groupVersionOf(resource.object);
    for (const spec of specs)
      if (specFits(spec, kindOf(resource.object), group))
        resource.object = changeAt(resource.object, splitPath(spec.path), {
          create: spec.create ?? false,
          change: (value) => ({ ...(isRecord(value) ? value : {}), ...pairs }),
        });
  }
}

/** `labels` and `commonLabels`. */
export function addLabels(resources: readonly KustomizeResource[], config: Fields): void {
  for (const entry of recordsAt(config, 'labels')) {
    const pairs = stringMapAt(entry, 'pairs');
    const extra = recordsAt(entry, 'fields').map((field) => ({
      path: textAt(field, 'path'),
      create: field['create'] === true,
      ...(textAt(field, 'kind') && { kinds: [textAt(field, 'kind')] }),
    }));
    const specs = [
      ...labelFields,
      ...(entry['includeSelectors'] === true || entry['includeTemplates'] === true ? templateLabelFields : []),
      ...(entry['includeSelectors'] === true ? selectorFields : []),
      ...extra,
    ];
    mergeInto(resources, specs, pairs);
  }
  const common = stringMapAt(config, 'commonLabels');
  if (Object.keys(common).length > 0)
    mergeInto(resources, [...labelFields, ...templateLabelFields, ...selectorFields], common);
}

export function addAnnotations(resources: readonly KustomizeResource[], config: Fields): void {
  const annotations = stringMapAt(config, 'commonAnnotations');
  if (Object.keys(annotations).length > 0) mergeInto(resources, annotationFields, annotations);
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

/** Objects, the accounts in bindings and the services of webhooks move to a namespace. */
export function setNamespace(resources: readonly KustomizeResource[], namespace: string): void {
  if (namespace === '') return;
  for (const resource of resources) {
    rememberName(resource);
    const kind = kindOf(resource.object);
    if (kind === 'Namespace') rename(resource, namespace);
    else if (!clusterScoped.has(kind))
      resource.object = { ...resource.object, metadata: { ...recordAt(resource.object, 'metadata'), namespace } };
    if (kind === 'RoleBinding' || kind === 'ClusterRoleBinding') moveSubjects(resource, resources, namespace);
    if (/WebhookConfiguration$/.test(kind))
      resource.object = changeAt(resource.object, splitPath('webhooks/clientConfig/service/namespace'), {
        change: () => namespace,
      });
    if (kind === 'APIService')
      resource.object = changeAt(resource.object, splitPath('spec/service/namespace'), { change: () => namespace });
  }
}

function moveSubjects(resource: KustomizeResource, resources: readonly KustomizeResource[], namespace: string): void {
  const isOurs = (name: unknown) =>
    name === 'default' ||
    resources.some((one) => kindOf(one.object) === 'ServiceAccount' && one.names.some((old) => old.name === name));
  const subjects = recordsAt(resource.object, 'subjects').map((subject) =>
    subject['kind'] === 'ServiceAccount' && isOurs(subject['name']) ? { ...subject, namespace } : subject,
  );
  if (subjects.length > 0) resource.object = { ...resource.object, subjects };
}

const keptNames = ['CustomResourceDefinition', 'APIService', 'Namespace'];

export function addAffixes(resources: readonly KustomizeResource[], prefix: string, suffix: string): void {
  if (prefix === '' && suffix === '') return;
  for (const resource of resources) {
    if (keptNames.includes(kindOf(resource.object))) continue;
    rememberName(resource);
    rename(resource, `${prefix}${nameOf(resource.object)}${suffix}`);
  }
}

export function setReplicas(resources: readonly KustomizeResource[], config: Fields): void {
  for (const entry of recordsAt(config, 'replicas')) {
    const name = textAt(entry, 'name');
    const targets = resources.filter(
      (one) =>
        ['Deployment', 'ReplicaSet', 'ReplicationController', 'StatefulSet'].includes(kindOf(one.object)) &&
        (nameOf(one.object) === name || one.names.some((old) => old.name === name)),
    );
    if (targets.length === 0)
      throw new CommandError(
        `resource with name ${name} does not match a config with the following GVK [Deployment.v1.apps ReplicaSet.v1.apps ReplicationController.[noVer].[noGrp] StatefulSet.v1.apps]`,
      );
    for (const target of targets)
      target.object = changeAt(target.object, ['spec', 'replicas'], {
        create: true,
        change: () => Number(entry['count'] ?? 0),
      });
  }
}

export function setImages(resources: readonly KustomizeResource[], config: Fields): void {
  for (const entry of recordsAt(config, 'images'))
    for (const resource of resources) {
      const pods = podSpecs[kindOf(resource.object)];
      if (pods === undefined) continue;
      for (const list of ['containers', 'initContainers', 'ephemeralContainers'])
        resource.object = changeAt(resource.object, splitPath(`${pods}/${list}/image`), {
          change: (value) => (typeof value === 'string' ? newImage(value, entry) : value),
        });
    }
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
