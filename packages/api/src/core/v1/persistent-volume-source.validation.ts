import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
  requiredField,
} from '@coracle/apimachinery';
import type {
  AzureDiskVolumeSource,
  CSIPersistentVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  HostPathVolumeSource,
  ISCSIPersistentVolumeSource,
  NFSVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
  StorageOSPersistentVolumeSource,
} from '../../generated/types/core-v1.js';
import { checkDriverName } from '../../validation/driver-name.js';
import { checkRequiredValue, checkSupported, checkValue } from '../../validation/field-checks.js';
import { validateNoBacksteps } from './volume-path.validation.js';

/** Exactly one of the sources is set. Each is checked by its own rule, in the release's order. */
export function checkPersistentVolumeSource(path: FieldPath, spec: PersistentVolumeSpec): FieldError[] {
  const errors: FieldError[] = [];
  let found = 0;
  for (const rule of sourceRules) {
    const source = spec[rule.name];
    if (source === undefined) continue;
    if (found > 0 && !rule.beside) {
      errors.push(forbiddenField(path.child(rule.second ?? rule.name), 'may not specify more than 1 volume type'));
      continue;
    }
    found++;
    errors.push(...rule.check(path.child(rule.path ?? rule.name), source, spec));
  }
  if (found === 0) errors.push(requiredField(path, 'must specify a volume type'));
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

type SourceCheck = (path: FieldPath, source: never, spec: PersistentVolumeSpec) => FieldError[];

interface SourceRule {
  readonly name: SourceName;
  readonly check: (path: FieldPath, source: unknown, spec: PersistentVolumeSpec) => FieldError[];
  /** What the source is called in messages where that is not its name. */
  readonly path?: string;
  readonly second?: string;
  /** Not counted against others. */
  readonly beside?: true;
}

function rule(name: SourceName, check: SourceCheck, other: Partial<SourceRule> = {}): SourceRule {
  return { name, check: check as SourceRule['check'], ...other };
}

const sourceRules: readonly SourceRule[] = [
  rule('hostPath', checkHostPath),
  rule('gcePersistentDisk', disk('pdName'), { path: 'persistentDisk' }),
  rule('awsElasticBlockStore', disk('volumeID')),
  rule('glusterfs', checkGlusterfs),
  rule('flocker', checkFlocker),
  rule('nfs', checkNfs),
  rule('rbd', required('monitors', 'image')),
  rule('quobyte', checkQuobyte),
  rule('cephfs', required('monitors'), { second: 'cephFS' }),
  rule('iscsi', checkIscsi),
  rule('cinder', checkCinder),
  rule('fc', checkFibreChannel),
  rule('flexVolume', required('driver'), { beside: true }),
  rule('azureFile', checkAzureFile),
  rule('vsphereVolume', required('volumePath')),
  rule('photonPersistentDisk', required('pdID')),
  rule('portworxVolume', required('volumeID')),
  rule('azureDisk', checkAzureDisk),
  rule('scaleIO', required('gateway', 'system', 'volumeName')),
  rule('local', checkLocal),
  rule('storageos', checkStorageOs),
  rule('csi', checkCsi),
];

type Fields = Readonly<Record<string, unknown>>;

function required(...names: string[]): SourceCheck {
  return (path, source: Fields) => missing(path, source, names);
}

function missing(path: FieldPath, source: Fields, names: readonly string[]): FieldError[] {
  return names.filter((name) => isEmpty(source[name])).map((name) => requiredField(path.child(name)));
}

function isEmpty(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}

function disk(idField: string): SourceCheck {
  return (path, source: Fields) => {
    const errors = missing(path, source, [idField]);
    const partition = Number(source['partition'] ?? 0);
    if (partition < 0 || partition > 255) {
      errors.push(invalidField(path.child('partition'), partition, 'must be between 1 and 255, inclusive'));
    }
    return errors;
  };
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function checkHostPath(path: FieldPath, source: HostPathVolumeSource): FieldError[] {
  if (!source.path) return [requiredField(path.child('path'))];
  const errors = validateNoBacksteps(path.child('path'), source.path);
  return [...errors, ...checkSupported(path.child('type'), source.type ?? '', hostPathTypes)];
}

function checkGlusterfs(path: FieldPath, source: Fields): FieldError[] {
  const errors = missing(path, source, ['endpoints', 'path']);
  const namespace = source['endpointsNamespace'];
  if (typeof namespace === 'string') {
    errors.push(...checkValue(path.child('endpointsNamespace'), namespace, isDns1123Label));
  }
  return errors;
}

function checkFlocker(path: FieldPath, { datasetName, datasetUUID }: FlockerVolumeSource): FieldError[] {
  if (!datasetName && !datasetUUID) {
    return [requiredField(path, 'one of datasetName and datasetUUID is required')];
  }
  const errors: FieldError[] = [];
  if (datasetName && datasetUUID) {
    errors.push(invalidField(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (datasetName?.includes('/')) {
    errors.push(invalidField(path.child('datasetName'), datasetName, "must not contain '/'"));
  }
  return errors;
}

function checkNfs(path: FieldPath, source: NFSVolumeSource): FieldError[] {
  const errors = missing(path, { ...source }, ['server', 'path']);
  if (!source.path?.startsWith('/')) {
    errors.push(invalidField(path.child('path'), source.path ?? '', 'must be an absolute path'));
  }
  return errors;
}

function checkQuobyte(path: FieldPath, source: Fields): FieldError[] {
  const registry = String(source['registry'] ?? '');
  const detail = 'must be a host:port pair or multiple pairs separated by commas';
  const errors: FieldError[] = [];
  if (registry === '') errors.push(requiredField(path.child('registry'), detail));
  else if (!registry.split(',').every((pair) => /^(\[[^\]]*\]|[^:]*):[^:]*$/.test(pair))) {
    errors.push(invalidField(path.child('registry'), registry, detail));
  }
  return [...errors, ...missing(path, source, ['volume'])];
}

function checkIscsi(path: FieldPath, source: ISCSIPersistentVolumeSource): FieldError[] {
  const { iqn = '', lun = 0, secretRef, initiatorName } = source;
  const errors = missing(path, { ...source }, ['targetPortal']);
  errors.push(...(iqn === '' ? [requiredField(path.child('iqn'))] : checkQualifiedTarget(path.child('iqn'), iqn)));
  if (lun < 0 || lun > 255) errors.push(invalidField(path.child('lun'), lun, 'must be between 0 and 255, inclusive'));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !secretRef) {
    errors.push(requiredField(path.child('secretRef')));
  }
  if (secretRef) errors.push(...missing(path.child('secretRef'), { ...secretRef }, ['name', 'namespace']));
  if (initiatorName !== undefined) errors.push(...checkQualifiedTarget(path.child('initiatorname'), initiatorName));
  return errors;
}

const targetForms: Readonly<Record<string, RegExp>> = {
  iqn: /^iqn\.\d{4}-\d{2}\.([^.]+\.)*[^.]+:?.*$/,
  eui: /^eui\.[0-9a-fA-F]{16}$/,
  naa: /^naa\.[0-9a-fA-F]{32}$|^naa\.[0-9a-fA-F]{16}$/,
};

function checkQualifiedTarget(path: FieldPath, name: string): FieldError[] {
  const form = targetForms[name.slice(0, 3)];
  if (!form) return [invalidField(path, name, 'must be valid format starting with iqn, eui, or naa')];
  return form.test(name) ? [] : [invalidField(path, name, 'must be valid format')];
}

function checkCinder(path: FieldPath, source: Fields): FieldError[] {
  const errors = missing(path, source, ['volumeID']);
  const secretRef = source['secretRef'] as SecretReference | undefined;
  if (secretRef) errors.push(...missing(path.child('secretRef'), { ...secretRef }, ['name', 'namespace']));
  return errors;
}

function checkFibreChannel(path: FieldPath, { targetWWNs = [], wwids = [], lun }: FCVolumeSource): FieldError[] {
  const errors: FieldError[] = [];
  const field = path.child('targetWWNs');
  if (targetWWNs.length === 0 && wwids.length === 0) {
    errors.push(requiredField(field, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (targetWWNs.length > 0 && wwids.length > 0) {
    errors.push(invalidField(field, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  if (targetWWNs.length === 0) return errors;
  if (lun === undefined) errors.push(requiredField(path.child('lun'), 'lun is required if targetWWNs is specified'));
  else if (lun < 0 || lun > 255) {
    errors.push(invalidField(path.child('lun'), lun, 'must be between 0 and 255, inclusive'));
  }
  return errors;
}

function checkAzureFile(path: FieldPath, source: Fields): FieldError[] {
  const names =
    source['secretNamespace'] === '' ? ['secretName', 'shareName', 'secretNamespace'] : ['secretName', 'shareName'];
  return missing(path, source, names);
}

const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

function checkAzureDisk(path: FieldPath, source: AzureDiskVolumeSource): FieldError[] {
  const { diskName = '', diskURI = '', cachingMode, kind } = source;
  const errors = missing(path, { diskName, diskURI }, ['diskName', 'diskURI']);
  if (cachingMode !== undefined) {
    errors.push(...checkSupported(path.child('cachingMode'), cachingMode, ['None', 'ReadOnly', 'ReadWrite']));
  }
  if (kind !== undefined) {
    errors.push(...checkSupported(path.child('kind'), kind, ['Dedicated', 'Managed', 'Shared']));
  }
  const managed = kind === 'Managed';
  if (!diskURI.startsWith(managed ? '/subscriptions/' : 'https://')) {
    errors.push(...checkSupported(path.child('diskURI'), diskURI, [managed ? managedDisk : blobDisk]));
  }
  return errors;
}

function checkLocal(path: FieldPath, source: { path?: string }, spec: PersistentVolumeSpec): FieldError[] {
  const errors = source.path
    ? validateNoBacksteps(path.child('path'), source.path)
    : [requiredField(path.child('path'))];
  if (!spec.nodeAffinity) errors.push(requiredField('spec.nodeAffinity', 'Local volume requires node affinity'));
  return errors;
}

function checkStorageOs(path: FieldPath, source: StorageOSPersistentVolumeSource): FieldError[] {
  const { volumeName, volumeNamespace, secretRef } = source;
  return [
    ...checkRequiredValue(path.child('volumeName'), volumeName, isDns1123Label),
    ...(volumeNamespace ? checkValue(path.child('volumeNamespace'), volumeNamespace, isDns1123Label) : []),
    ...(secretRef ? missing(path.child('secretRef'), { ...secretRef }, ['name', 'namespace']) : []),
  ];
}

const secretReferences = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeStageSecretRef',
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
