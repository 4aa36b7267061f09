import {
  byteLength,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
  requiredField,
} from '@coracle/apimachinery';
import type {
  AzureFilePersistentVolumeSource,
  CinderPersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  LocalVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
  StorageOSPersistentVolumeSource,
} from '../../generated/types/core-v1.js';
import { checkDriverName } from '../../validation/driver-name.js';
import { checkRequiredValue, checkValue } from '../../validation/field-checks.js';
import * as remote from './remote-volume.validation.js';
import { validateHostPath, validateNoBacksteps } from './volume-path.validation.js';

/** Whether the source is in the spec of a volume or of a pod. */
interface SourceContext {
  readonly specPath: FieldPath;
  readonly spec: PersistentVolumeSpec;
  /** Empty for a spec that is written into another object. */
  readonly volumeName: string;
}

/** Exactly one of the sources is set. Each is checked by its own rule, in upstream's order. */
export function checkPersistentVolumeSource(
  specPath: FieldPath,
  spec: PersistentVolumeSpec,
  volumeName = '',
): FieldError[] {
  const errors: FieldError[] = [];
  let found = 0;
  for (const rule of sourceRules) {
    const source = spec[rule.name];
    if (source === undefined) continue;
    if (found > 0 && !rule.beside) {
      errors.push(forbiddenField(specPath.child(rule.second ?? rule.name), 'may not specify more than 1 volume type'));
      continue;
    }
    found++;
    errors.push(...rule.check(specPath.child(rule.path ?? rule.name), source, { specPath, spec, volumeName }));
  }
  if (found === 0) errors.push(requiredField(specPath, 'must specify a volume type'));
  return errors;
}

type SourceName =
  | 'hostPath'
  | 'gcePersistentDisk'
  | 'awsElasticBlockStore'
  | 'glusterfs'
  | 'flocker'
  | 'nfs'
  | 'rbd'
  | 'quobyte'
  | 'cephfs'
  | 'iscsi'
  | 'cinder'
  | 'fc'
  | 'flexVolume'
  | 'azureFile'
  | 'vsphereVolume'
  | 'photonPersistentDisk'
  | 'portworxVolume'
  | 'azureDisk'
  | 'scaleIO'
  | 'local'
  | 'storageos'
  | 'csi';

/** The fields that make up the source of a volume. */
export function sourceOf(spec: PersistentVolumeSpec): PersistentVolumeSpec {
  const source: Record<string, unknown> = {};
  for (const { name } of sourceRules) if (spec[name] !== undefined) source[name] = spec[name];
  return source;
}

type SourceCheck = (path: FieldPath, source: never, context: SourceContext) => FieldError[];

interface SourceRule {
  readonly name: SourceName;
  readonly check: (path: FieldPath, source: unknown, context: SourceContext) => FieldError[];
  /** Name of the source in messages, if it differs. */
  readonly path?: string;
  readonly second?: string;
  /** Not counted against others. */
  readonly beside?: true;
}

/** Each check has the type of its own source, which the name next to it identifies. */
function rule(name: SourceName, check: SourceCheck, other: Partial<SourceRule> = {}): SourceRule {
  return { name, check: check as SourceRule['check'], ...other };
}

const sourceRules: readonly SourceRule[] = [
  rule('hostPath', validateHostPath),
  rule('gcePersistentDisk', remote.validateGcePersistentDisk, { path: 'persistentDisk' }),
  rule('awsElasticBlockStore', remote.validateAwsBlockStore),
  rule('glusterfs', checkGlusterfs),
  rule('flocker', remote.validateFlocker),
  rule('nfs', remote.validateNfs),
  rule('rbd', remote.validateRbd),
  rule('quobyte', remote.validateQuobyte),
  rule('cephfs', remote.validateCephFs, { second: 'cephFS' }),
  rule('iscsi', checkIscsi),
  rule('cinder', checkCinder),
  rule('fc', remote.validateFc),
  rule('flexVolume', remote.validateFlexVolume, { beside: true }),
  rule('azureFile', checkAzureFile),
  rule('vsphereVolume', required('volumePath')),
  rule('photonPersistentDisk', required('pdID')),
  rule('portworxVolume', required('volumeID')),
  rule('azureDisk', remote.validateAzureDisk),
  rule('scaleIO', required('gateway', 'system', 'volumeName')),
  rule('local', checkLocal),
  rule('storageos', checkStorageOs),
  rule('csi', checkCsi),
];

function required(...names: string[]): SourceCheck {
  return (path, source: Readonly<Record<string, unknown>>) => remote.requireFields(path, source, names);
}

function checkGlusterfs(path: FieldPath, source: GlusterfsPersistentVolumeSource): FieldError[] {
  const errors = remote.validateGlusterfs(path, source);
  const namespace = source.endpointsNamespace;
  if (namespace === undefined) return errors;
  const namespacePath = path.child('endpointsNamespace');
  if (namespace !== '') return [...errors, ...checkValue(namespacePath, namespace, isDns1123Label)];
  const problem = 'if the endpointnamespace is set, it must be a valid namespace name';
  return [...errors, invalidField(namespacePath, namespace, problem)];
}

function checkIscsi(path: FieldPath, source: ISCSIPersistentVolumeSource, context: SourceContext): FieldError[] {
  const { targetPortal = '', iqn, lun = 0, secretRef, initiatorName } = source;
  const errors = remote.requireFields(path, source, ['targetPortal']);
  if (initiatorName !== undefined && byteLength(`${context.volumeName}:${targetPortal}`) > 64) {
    errors.push(invalidField(path.child('targetportal'), targetPortal, remote.iscsiNameTooLong));
  }
  errors.push(...checkRequiredValue(path.child('iqn'), iqn, remote.iscsiVolumeNameProblems));
  errors.push(...remote.validateLun(path, lun));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !secretRef) {
    errors.push(requiredField(path.child('secretRef')));
  }
  if (secretRef && !secretRef.name) errors.push(requiredField(path.child('secretRef', 'name')));
  if (initiatorName === undefined) return errors;
  return [...errors, ...checkValue(path.child('initiatorname'), initiatorName, remote.iscsiVolumeNameProblems)];
}

function checkCinder(path: FieldPath, source: CinderPersistentVolumeSource): FieldError[] {
  return [...remote.requireFields(path, source, ['volumeID']), ...requireSecret(path, source.secretRef)];
}

function requireSecret(path: FieldPath, secretRef: SecretReference | undefined): FieldError[] {
  return secretRef ? remote.requireFields(path.child('secretRef'), secretRef, ['name', 'namespace']) : [];
}

function checkAzureFile(path: FieldPath, source: AzureFilePersistentVolumeSource): FieldError[] {
  const errors = remote.validateAzureFile(path, source);
  return source.secretNamespace === '' ? [...errors, requiredField(path.child('secretNamespace'))] : errors;
}

function checkLocal(path: FieldPath, source: LocalVolumeSource, { specPath, spec }: SourceContext): FieldError[] {
  const errors = source.path
    ? validateNoBacksteps(path.child('path'), source.path)
    : [requiredField(path.child('path'))];
  if (spec.nodeAffinity) return errors;
  return [...errors, requiredField(specPath.child('nodeAffinity'), 'Local volume requires node affinity')];
}

function checkStorageOs(path: FieldPath, source: StorageOSPersistentVolumeSource): FieldError[] {
  const { volumeName, volumeNamespace, secretRef } = source;
  return [
    ...checkRequiredValue(path.child('volumeName'), volumeName, isDns1123Label),
    ...(volumeNamespace ? checkValue(path.child('volumeNamespace'), volumeNamespace, isDns1123Label) : []),
    ...requireSecret(path, secretRef),
  ];
}

/** Those that upstream looks at: the one for staging is not among them. */
const secretReferences = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

function checkCsi(path: FieldPath, source: CSIPersistentVolumeSource): FieldError[] {
  return [
    ...checkDriverName(path.child('driver'), source.driver),
    ...(source.volumeHandle ? [] : [requiredField(path.child('volumeHandle'))]),
    ...secretReferences.flatMap((name) => {
      const reference = source[name];
      return reference ? checkSecretReference(path.child(name), reference) : [];
    }),
  ];
}

function checkSecretReference(path: FieldPath, { name, namespace }: SecretReference): FieldError[] {
  return [
    ...checkRequiredValue(path.child('name'), name, isDns1123Subdomain),
    ...checkRequiredValue(path.child('namespace'), namespace, isDns1123Label),
  ];
}
