import { type Fields, isRecord, textAt } from '../values.js';
import type { NameReference } from './configurations.js';
import { changeAt, changeFields, podSpecs, splitPath } from './field-paths.js';
import { type KustomizeResource, kindOf, nameOf, namespaceOf } from './resource.js';

const both = (path: string) => [`containers/${path}`, `initContainers/${path}`, `ephemeralContainers/${path}`];

/** Paths within pod specs that hold names of objects, by the kind that they name. */
const inPods: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: [
    'volumes/configMap/name',
    'volumes/projected/sources/configMap/name',
    ...both('env/valueFrom/configMapKeyRef/name'),
    ...both('envFrom/configMapRef/name'),
  ],
  Secret: [
    'volumes/secret/secretName',
    'volumes/projected/sources/secret/name',
    'volumes/csi/nodePublishSecretRef/name',
    ...both('env/valueFrom/secretKeyRef/name'),
    ...both('envFrom/secretRef/name'),
    'imagePullSecrets/name',
  ],
  ServiceAccount: ['serviceAccountName', 'serviceAccount'],
  PersistentVolumeClaim: ['volumes/persistentVolumeClaim/claimName'],
  PriorityClass: ['priorityClassName'],
  RuntimeClass: ['runtimeClassName'],
};

/** Paths in other kinds: `Kind:path`. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  Secret: ['Ingress:spec/tls/secretName', 'ServiceAccount:imagePullSecrets/name', 'ServiceAccount:secrets/name'],
  Service: [
    'StatefulSet:spec/serviceName',
    'Ingress:spec/rules/http/paths/backend/service/name',
    'Ingress:spec/defaultBackend/service/name',
    'Ingress:spec/rules/http/paths/backend/serviceName',
    'Ingress:spec/backend/serviceName',
    'APIService:spec/service/name',
    'ValidatingWebhookConfiguration:webhooks/clientConfig/service/name',
    'MutatingWebhookConfiguration:webhooks/clientConfig/service/name',
    'CustomResourceDefinition:spec/conversion/webhook/clientConfig/service/name',
  ],
  Role: ['RoleBinding:roleRef/name'],
  ClusterRole: ['RoleBinding:roleRef/name', 'ClusterRoleBinding:roleRef/name'],
  PersistentVolume: ['PersistentVolumeClaim:spec/volumeName'],
  StorageClass: [
    'PersistentVolume:spec/storageClassName',
    'PersistentVolumeClaim:spec/storageClassName',
    'StatefulSet:spec/volumeClaimTemplates/spec/storageClassName',
  ],
  IngressClass: ['Ingress:spec/ingressClassName'],
  Deployment: ['HorizontalPodAutoscaler:spec/scaleTargetRef/name'],
  StatefulSet: ['HorizontalPodAutoscaler:spec/scaleTargetRef/name'],
  ReplicaSet: ['HorizontalPodAutoscaler:spec/scaleTargetRef/name'],
  ReplicationController: ['HorizontalPodAutoscaler:spec/scaleTargetRef/name'],
};

const ruleResources: Readonly<Record<string, string>> = {
  ConfigMap: 'configmaps',
  Secret: 'secrets',
  PersistentVolume: 'persistentvolumes',
};

/** Names in objects follow the objects that they name. */
export function fixNameReferences(
  resources: readonly KustomizeResource[],
  references: readonly NameReference[] = [],
): void {
  for (const referrer of resources)
    for (const kind of new Set([...Object.keys(inPods), ...Object.keys(elsewhere)])) {
      const candidates = resources.filter((one) => kindOf(one.object) === kind);
      if (candidates.length === 0) continue;
      for (const path of pathsIn(referrer.object, kind)) fixAt(referrer, path, candidates);
    }
  for (const { kind, fields } of references) {
    const candidates = resources.filter((one) => kindOf(one.object) === kind);
    changeFields(resources, fields, (value, referrer) => renamed(value, referrer, candidates));
  }
  for (const referrer of resources) {
    fixSubjects(referrer, resources);
    fixRules(referrer, resources);
  }
}

function pathsIn(object: Fields, kind: string): string[] {
  const pods = podSpecs[kindOf(object)];
  const within = pods === undefined ? [] : (inPods[kind] ?? []).map((path) => `${pods}/${path}`);
  const others = (elsewhere[kind] ?? [])
    .filter((path) => path.startsWith(`${kindOf(object)}:`))
    .map((path) => path.split(':')[1] ?? '');
  return [...within, ...others];
}

function fixAt(referrer: KustomizeResource, path: string, candidates: readonly KustomizeResource[]): void {
  const isRoleRef = path.startsWith('roleRef');
  const isScaleTarget = path.includes('scaleTargetRef');
  const kind = isRoleRef
    ? textAt(referrer.object, 'roleRef', 'kind')
    : isScaleTarget
      ? textAt(referrer.object, 'spec', 'scaleTargetRef', 'kind')
      : undefined;
  if (kind !== undefined && kindOf(candidates[0]?.object ?? {}) !== kind) return;
  referrer.object = changeAt(referrer.object, splitPath(path), {
    change: (value) => renamed(value, referrer, candidates),
  });
}

/** A name, or a list of names. */
function renamed(value: unknown, referrer: KustomizeResource, candidates: readonly KustomizeResource[]): unknown {
  if (typeof value === 'string') return newName(value, referrer, candidates);
  return Array.isArray(value) ? value.map((item) => renamed(item, referrer, candidates)) : value;
}

/** The name that an object has now which had the given one, in the referrer's namespace if several had. */
function newName(name: string, referrer: KustomizeResource, candidates: readonly KustomizeResource[]): string {
  const fitting = candidates.filter((one) => one.names.some((old) => old.name === name));
  const namespace = namespaceOf(referrer.object);
  const best = fitting.find((one) => namespaceOf(one.object) === namespace) ?? fitting[0];
  return best ? nameOf(best.object) : name;
}

/** Service accounts in bindings follow by name and namespace. */
function fixSubjects(referrer: KustomizeResource, resources: readonly KustomizeResource[]): void {
  if (
    !['RoleBinding', 'ClusterRoleBinding'].includes(kindOf(referrer.object)) ||
    !Array.isArray(referrer.object['subjects'])
  )
    return;
  const accounts = resources.filter((one) => kindOf(one.object) === 'ServiceAccount');
  const subjects = referrer.object['subjects'].map((subject: unknown) => {
    if (!isRecord(subject) || subject['kind'] !== 'ServiceAccount') return subject;
    const account = accounts.find((one) =>
      one.names.some(
        (old) =>
          old.name === subject['name'] &&
          (!subject['namespace'] || old.namespace === '' || old.namespace === subject['namespace']),
      ),
    );
    if (!account) return subject;
    const namespace = namespaceOf(account.object);
    return { ...subject, name: nameOf(account.object), ...(namespace !== '' && { namespace }) };
  });
  referrer.object = { ...referrer.object, subjects };
}

function fixRules(referrer: KustomizeResource, resources: readonly KustomizeResource[]): void {
  if (!['Role', 'ClusterRole'].includes(kindOf(referrer.object)) || !Array.isArray(referrer.object['rules'])) return;
  const rules = referrer.object['rules'].map((rule: unknown) => {
    if (!isRecord(rule) || !Array.isArray(rule['resourceNames'])) return rule;
    const named = Array.isArray(rule['resources']) ? (rule['resources'] as string[]) : [];
    const candidates = resources.filter((one) => named.includes(ruleResources[kindOf(one.object)] ?? ''));
    return {
      ...rule,
      resourceNames: rule['resourceNames'].map((name: unknown) => newName(String(name), referrer, candidates)),
    };
  });
  referrer.object = { ...referrer.object, rules };
}
