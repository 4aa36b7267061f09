import {
  duplicateField,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
  type ObjectMeta,
  parseQuantity,
  requiredField,
} from '@coracle/apimachinery';
import type { EphemeralVolumeSource, ImageVolumeSource, Volume } from '../../generated/types/core-v1.js';
import { checkItems, checkRequiredSupported, checkRequiredValue, concat } from '../../validation/field-checks.js';
import { pullPolicies } from './container.validation.js';
import { validateClaimTemplate } from './persistent-volume-claim-template.validation.js';
import {
  validateConfigVolume,
  validateDownwardApiVolume,
  validateProjectedVolume,
} from './projected-volume.validation.js';
import * as remote from './remote-volume.validation.js';
import type { VolumesByName } from './volume-mount.validation.js';
import { validateDescendingPath, validateHostPath } from './volume-path.validation.js';

export interface ValidatedVolumes {
  readonly errors: FieldError[];
  /** Valid volumes. */
  readonly volumes: VolumesByName;
}

/** `podMeta` is absent for templates: without the pod's name, its claims have none yet. */
export function validateVolumes(path: FieldPath, volumes: readonly Volume[], podMeta?: ObjectMeta): ValidatedVolumes {
  const right = new Map<string, Volume>();
  const createdClaims = new Set(
    podMeta?.name ? volumes.filter((one) => one.ephemeral).map((one) => `${podMeta.name}-${one.name}`) : [],
  );
  const errors = checkItems(path, volumes, (itemPath, volume) => {
    const found = validateVolumeSource(itemPath, volume, podMeta);
    found.push(...checkRequiredValue(itemPath.child('name'), volume.name, isDns1123Label));
    if (right.has(volume.name)) found.push(duplicateField(itemPath.child('name'), volume.name));
    if (found.length === 0) right.set(volume.name, volume);
    const claimName = volume.persistentVolumeClaim?.claimName;
    if (claimName !== undefined && createdClaims.has(claimName)) {
      const problem = 'must not reference a PVC that gets created for an ephemeral volume';
      found.push(invalidField(itemPath.child('persistentVolumeClaim', 'claimName'), claimName, problem));
    }
    return found;
  });
  return { errors, volumes: right };
}

type SourceName = Exclude<keyof Volume, 'name'>;

interface SourceRule {
  readonly source: SourceName;
  /** Upstream's field path, if it differs from the name. */
  readonly name?: string;
  /** The same for the field error that there is more than one source. */
  readonly nameWhenSecond?: string;
  readonly validate: (path: FieldPath, volume: Volume) => FieldError[];
}

/** In the order in which they are looked at: of several sources the first is validated, the rest forbidden. */
const sourceRules: readonly SourceRule[] = [
  { source: 'emptyDir', validate: validateEmptyDir },
  { source: 'hostPath', validate: (path, { hostPath }) => validateHostPath(path, hostPath) },
  { source: 'gitRepo', validate: validateGitRepo },
  {
    source: 'gcePersistentDisk',
    name: 'persistentDisk',
    nameWhenSecond: 'gcePersistentDisk',
    validate: (path, { gcePersistentDisk }) => remote.validateGcePersistentDisk(path, gcePersistentDisk),
  },
  {
    source: 'awsElasticBlockStore',
    validate: (path, volume) => remote.validateAwsBlockStore(path, volume.awsElasticBlockStore),
  },
  {
    source: 'secret',
    validate: (path, { secret }) => validateConfigVolume(path, secret ?? {}, 'secretName'),
  },
  { source: 'nfs', validate: (path, { nfs }) => remote.validateNfs(path, nfs) },
  { source: 'iscsi', validate: (path, { iscsi }) => remote.validateIscsi(path, iscsi) },
  { source: 'glusterfs', validate: (path, { glusterfs }) => remote.validateGlusterfs(path, glusterfs) },
  { source: 'flocker', validate: (path, { flocker }) => remote.validateFlocker(path, flocker) },
  {
    source: 'persistentVolumeClaim',
    validate: (path, volume) =>
      volume.persistentVolumeClaim?.claimName ? [] : [requiredField(path.child('claimName'))],
  },
  { source: 'rbd', validate: (path, { rbd }) => remote.validateRbd(path, rbd) },
  { source: 'cinder', validate: (path, { cinder }) => remote.validateCinder(path, cinder) },
  { source: 'cephfs', nameWhenSecond: 'cephFS', validate: (path, { cephfs }) => remote.validateCephFs(path, cephfs) },
  { source: 'quobyte', validate: (path, { quobyte }) => remote.validateQuobyte(path, quobyte) },
  {
    source: 'downwardAPI',
    nameWhenSecond: 'downwarAPI',
    validate: (path, volume) => validateDownwardApiVolume(path, volume.downwardAPI),
  },
  { source: 'fc', validate: (path, { fc }) => remote.validateFc(path, fc) },
  { source: 'flexVolume', validate: (path, { flexVolume }) => remote.validateFlexVolume(path, flexVolume) },
  {
    source: 'configMap',
    validate: (path, { configMap }) => validateConfigVolume(path, configMap ?? {}, 'name'),
  },
  { source: 'azureFile', validate: (path, { azureFile }) => remote.validateAzureFile(path, azureFile) },
  {
    source: 'vsphereVolume',
    validate: (path, volume) => remote.requireFields(path, volume.vsphereVolume, ['volumePath']),
  },
  {
    source: 'photonPersistentDisk',
    validate: (path, volume) => remote.requireFields(path, volume.photonPersistentDisk, ['pdID']),
  },
  {
    source: 'portworxVolume',
    validate: (path, volume) => remote.requireFields(path, volume.portworxVolume, ['volumeID']),
  },
  { source: 'azureDisk', validate: (path, { azureDisk }) => remote.validateAzureDisk(path, azureDisk) },
  { source: 'storageos', validate: (path, { storageos }) => remote.validateStorageOs(path, storageos) },
  { source: 'projected', validate: (path, { projected }) => validateProjectedVolume(path, projected) },
  {
    source: 'scaleIO',
    validate: (path, { scaleIO }) => remote.requireFields(path, scaleIO, ['gateway', 'system', 'volumeName']),
  },
  { source: 'csi', validate: (path, { csi }) => remote.validateCsi(path, csi) },
  { source: 'ephemeral', validate: (path, { ephemeral }) => validateEphemeral(path, ephemeral) },
  { source: 'image', validate: (path, { image }) => validateImageVolume(path, image) },
];

const ruleOfSource: ReadonlyMap<string, SourceRule> = new Map(sourceRules.map((rule) => [rule.source, rule]));

/** The rules of the sources that a volume has. It has few fields, so they are looked up rather than the rules tried. */
function givenSources(volume: Volume): SourceRule[] {
  const setSources: SourceRule[] = [];
  for (const field in volume) {
    const rule = ruleOfSource.get(field);
    if (rule !== undefined && volume[field as SourceName] !== undefined) setSources.push(rule);
  }
  return setSources.length < 2 ? setSources : sourceRules.filter((rule) => setSources.includes(rule));
}

function validateVolumeSource(path: FieldPath, volume: Volume, podMeta: ObjectMeta | undefined): FieldError[] {
  const [first, ...more] = givenSources(volume);
  if (!first) return [requiredField(path, 'must specify a volume type')];
  return concat(
    first.validate(path.child(first.name ?? first.source), volume),
    first.source === 'ephemeral' ? validateCreatedClaimName(path, volume.name, podMeta) : [],
    more.map(({ source, nameWhenSecond }) =>
      forbiddenField(path.child(nameWhenSecond ?? source), 'may not specify more than 1 volume type'),
    ),
    validateIscsiName(path, volume),
  );
}

function validateEmptyDir(path: FieldPath, { emptyDir }: Volume): FieldError[] {
  const limit = emptyDir?.sizeLimit;
  if (limit === undefined || parseQuantity(limit).sign >= 0) return [];
  return [forbiddenField(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')];
}

function validateGitRepo(path: FieldPath, { gitRepo }: Volume): FieldError[] {
  const errors = gitRepo?.repository ? [] : [requiredField(path.child('repository'))];
  return concat(errors, validateDescendingPath(path.child('directory'), gitRepo?.directory ?? ''));
}

function validateEphemeral(path: FieldPath, source: EphemeralVolumeSource | undefined): FieldError[] {
  const template = source?.volumeClaimTemplate;
  const templatePath = path.child('volumeClaimTemplate');
  return template ? validateClaimTemplate(templatePath, template) : [requiredField(templatePath)];
}

/** The claim that an ephemeral volume stands for is called `<pod>-<volume>`. */
function validateCreatedClaimName(path: FieldPath, volumeName: string, podMeta: ObjectMeta | undefined): FieldError[] {
  if (!podMeta?.name || !volumeName) return [];
  const claimName = `${podMeta.name}-${volumeName}`;
  return isDns1123Subdomain(claimName).map((problem) =>
    invalidField(path.child('name'), volumeName, `PVC name ${JSON.stringify(claimName)}: ${problem}`),
  );
}

function validateIscsiName(path: FieldPath, { name, iscsi }: Volume): FieldError[] {
  if (iscsi?.initiatorName === undefined || `${name}:${iscsi.targetPortal}`.length <= 64) return [];
  return [invalidField(path.child('name'), name, remote.iscsiNameTooLong)];
}

function validateImageVolume(path: FieldPath, image: ImageVolumeSource | undefined): FieldError[] {
  const errors = image?.reference ? [] : [requiredField(path.child('reference'))];
  return concat(errors, checkRequiredSupported(path.child('pullPolicy'), image?.pullPolicy, pullPolicies));
}
