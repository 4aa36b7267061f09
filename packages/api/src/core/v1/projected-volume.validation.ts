import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  scoped,
} from '@coracle/apimachinery';
import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  SecretVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../generated/types/core-v1.js';
import { concat } from '../../validation/field-checks.js';
import { validateObjectFieldSelector, validateResourceFieldSelector } from './downward-api.validation.js';
import { validatePodCertificate, validateTrustBundle } from './projected-certificate.validation.js';
import { validateLocalPath } from './volume-path.validation.js';

/** The fields of the pod that files of a volume can take. */
const volumeFieldPaths = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

type ConfigVolumeSource = SecretVolumeSource & ConfigMapVolumeSource;

/** Secrets and config maps as files; they differ in what the field with the name is called. */
export function validateConfigVolume(
  path: FieldPath,
  source: ConfigVolumeSource,
  nameField: 'secretName' | 'name',
): FieldError[] {
  return concat(
    source[nameField] ? [] : [requiredField(path.child(nameField))],
    validateFileMode(path.child('defaultMode'), source.defaultMode),
    validateItems(path.child('items'), source.items ?? []),
  );
}

function validateFileMode(path: FieldPath, mode: number | undefined): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalidField(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

function validateItems(path: FieldPath, items: readonly KeyToPath[]): FieldError[] {
  return items.flatMap((item, index) => validateItem(path.index(index), item));
}

function validateItem(path: FieldPath, { key, path: target = '', mode }: KeyToPath): FieldError[] {
  return concat(
    key ? [] : [requiredField(path.child('key'))],
    target === '' ? [requiredField(path.child('path'))] : [],
    validateLocalPath(path.child('path'), target),
    validateFileMode(path.child('mode'), mode),
  );
}

export function validateDownwardApiVolume(path: FieldPath, source: DownwardAPIVolumeSource | undefined): FieldError[] {
  return concat(
    validateFileMode(path.child('defaultMode'), source?.defaultMode),
    (source?.items ?? []).flatMap((file) => validateDownwardApiFile(path, file)),
  );
}

/** Field errors name the volume, not the item, as upstream does. */
function validateDownwardApiFile(path: FieldPath, file: DownwardAPIVolumeFile): FieldError[] {
  const { path: target = '', fieldRef, resourceFieldRef, mode } = file;
  const errors = target === '' ? [requiredField(path.child('path'))] : [];
  errors.push(...validateLocalPath(path.child('path'), target));
  if (fieldRef) {
    errors.push(...validateObjectFieldSelector(path.child('fieldRef'), fieldRef, volumeFieldPaths));
    if (resourceFieldRef) errors.push(invalidField(path, 'resource', bothRefs));
  } else if (resourceFieldRef) {
    errors.push(...validateResourceFieldSelector(path.child('resourceFieldRef'), resourceFieldRef, 'volume'));
  } else errors.push(requiredField(path, 'one of fieldRef and resourceFieldRef is required'));
  return concat(errors, validateFileMode(path.child('mode'), mode));
}

const bothRefs = 'fieldRef and resourceFieldRef can not be specified simultaneously';

export function validateProjectedVolume(path: FieldPath, projected: ProjectedVolumeSource | undefined): FieldError[] {
  const paths = new PathsOnce(path);
  return concat(
    validateFileMode(path.child('defaultMode'), projected?.defaultMode),
    (projected?.sources ?? []).flatMap((source, index) => [
      ...validateProjection(path.child('sources').index(index), source, paths),
      ...validateToken(path.child('sources').index(index), path, source.serviceAccountToken),
      ...validateCertificates(path.child('sources').index(index), source, paths),
      ...validateOneSource(path.child('sources').index(index), source),
    ]),
  );
}

/** All sources of a projected volume write into one directory. */
class PathsOnce {
  readonly #path: FieldPath;
  readonly #seen = new Set<string>();

  constructor(path: FieldPath) {
    this.#path = path;
  }

  /** `shown` is the value in the message. */
  add(target: string | undefined, shown = target): FieldError[] {
    if (!target) return [];
    if (this.#seen.has(target)) return [invalidField(this.#path, shown ?? '', 'conflicting duplicate paths')];
    this.#seen.add(target);
    return [];
  }
}

function validateProjection(path: FieldPath, source: VolumeProjection, paths: PathsOnce): FieldError[] {
  const errors: FieldError[] = [];
  for (const type of ['secret', 'configMap'] as const) {
    const projection = source[type];
    if (!projection) continue;
    if (!projection.name) errors.push(requiredField(path.child(type, 'name')));
    for (const [index, item] of (projection.items ?? []).entries()) {
      errors.push(
        ...validateItem(path.child(type, 'items').index(index), item),
        ...paths.add(item.path, projection.name ?? ''),
      );
    }
  }
  for (const file of source.downwardAPI?.items ?? []) {
    errors.push(...validateDownwardApiFile(path.child('downwardAPI'), file), ...paths.add(file.path));
  }
  return errors;
}

const tenMinutes = 600;

function validateToken(
  path: FieldPath,
  volumePath: FieldPath,
  token: ServiceAccountTokenProjection | undefined,
): FieldError[] {
  if (!token) return [];
  const { expirationSeconds = 0, path: target } = token;
  const secondsPath = path.child('serviceAccountToken', 'expirationSeconds');
  const errors: FieldError[] = [];
  if (expirationSeconds < tenMinutes) {
    errors.push(invalidField(secondsPath, expirationSeconds, 'may not specify a duration less than 10 minutes'));
  }
  if (expirationSeconds > 2 ** 32) {
    errors.push(invalidField(secondsPath, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  if (!target) return concat(errors, [requiredField(volumePath.child('path'))]);
  const outside = validateLocalPath(volumePath.child('path'), target);
  return concat(errors, scoped(outside, { newRule: 'local paths of tokens' }));
}

function validateCertificates(path: FieldPath, source: VolumeProjection, paths: PathsOnce): FieldError[] {
  const { clusterTrustBundle, podCertificate } = source;
  const claimPath = (target: string) => paths.add(target);
  return concat(
    clusterTrustBundle ? validateTrustBundle(path.child('clusterTrustBundle'), clusterTrustBundle, claimPath) : [],
    podCertificate ? validatePodCertificate(path.child('podCertificate'), podCertificate, claimPath) : [],
  );
}

function validateOneSource(path: FieldPath, source: VolumeProjection): FieldError[] {
  const setSources = Object.values(source).filter((one) => one !== undefined);
  return setSources.length > 1 ? [forbiddenField(path, 'may not specify more than 1 volume type per source')] : [];
}
