import {
  type FieldError,
  type FieldPath,
  invalidField,
  isConfigMapKey,
  isDns1123Label,
  isDns1123Subdomain,
  isRelaxedEnvVarName,
  notFoundField,
  requiredField,
  validateDnsSubdomainName,
} from '@coracle/apimachinery';
import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  PodSpec,
} from '../../generated/types/core-v1.js';
import { checkItems, checkRequiredValue, checkValue, concat } from '../../validation/field-checks.js';
import { validateObjectFieldSelector, validateResourceFieldSelector } from './downward-api.validation.js';
import { visitContainers } from './visit-containers.js';
import { validateNoBacksteps } from './volume-path.validation.js';

/** The fields of the pod that environment variables can take. */
const environmentFieldPaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

export function validateEnv(path: FieldPath, variables: readonly EnvVar[] = []): FieldError[] {
  return checkItems(path, variables, (itemPath, variable) =>
    concat(
      checkRequiredValue(itemPath.child('name'), variable.name, isRelaxedEnvVarName),
      validateValueFrom(itemPath.child('valueFrom'), variable),
    ),
  );
}

type SourceValidator = (path: FieldPath, source: EnvVarSource) => FieldError[];

const sourceTypes: readonly [keyof EnvVarSource, SourceValidator][] = [
  ['fieldRef', (path, { fieldRef }) => validateObjectFieldSelector(path, fieldRef, environmentFieldPaths)],
  [
    'resourceFieldRef',
    (path, { resourceFieldRef }) => validateResourceFieldSelector(path, resourceFieldRef, 'container'),
  ],
  ['configMapKeyRef', (path, { configMapKeyRef }) => validateKeySelector(path, configMapKeyRef)],
  ['secretKeyRef', (path, { secretKeyRef }) => validateKeySelector(path, secretKeyRef)],
  ['fileKeyRef', (path, { fileKeyRef }) => validateFileKeySelector(path, fileKeyRef)],
];

function validateValueFrom(path: FieldPath, { value, valueFrom }: EnvVar): FieldError[] {
  if (!valueFrom) return [];
  const setSources = sourceTypes.filter(([type]) => valueFrom[type] !== undefined);
  const errors = setSources.flatMap(([type, validate]) => validate(path.child(type), valueFrom));
  const problem = sourceCountProblem(setSources.length, value);
  return problem ? [...errors, invalidField(path, '', problem)] : errors;
}

function sourceCountProblem(count: number, value: string | undefined): string | undefined {
  if (count === 0) {
    return 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
  }
  if (value) return 'may not be specified when `value` is not empty';
  return count > 1 ? tooManySources : undefined;
}

const tooManySources = 'may not have more than one field specified at a time';

function validateKeySelector(path: FieldPath, selector: ConfigMapKeySelector | undefined): FieldError[] {
  return concat(
    checkValue(path.child('name'), selector?.name ?? '', isDns1123Subdomain),
    checkRequiredValue(path.child('key'), selector?.key, isConfigMapKey),
  );
}

function validateFileKeySelector(path: FieldPath, selector: FileKeySelector | undefined): FieldError[] {
  const { volumeName, path: filePath, key } = selector ?? {};
  return concat(
    checkRequiredValue(path.child('key'), key, isRelaxedEnvVarName),
    checkRequiredValue(path.child('volumeName'), volumeName, isDns1123Label),
    filePath ? validateNoBacksteps(path.child('path'), filePath) : [requiredField(path.child('path'))],
  );
}

/** A file of variables is written by a container of the same pod, into a directory that lives as long as the pod. */
export function validateEnvFileVolumes(path: FieldPath, spec: PodSpec): FieldError[] {
  return visitContainers(path, spec).flatMap(({ container, path: containerPath }) =>
    checkItems(containerPath.child('env'), container.env, (itemPath, { valueFrom }) => {
      if (!valueFrom?.fileKeyRef) return [];
      const { volumeName = '' } = valueFrom.fileKeyRef;
      const namePath = itemPath.child('valueFrom', 'fileKeyRef', 'volumeName');
      const volume = spec.volumes?.findLast(({ name }) => name === volumeName);
      if (!volume) return [notFoundField(namePath, volumeName)];
      return volume.emptyDir ? [] : [invalidField(namePath, volumeName, 'referenced volume must be of type emptyDir')];
    }),
  );
}

export function validateEnvFrom(path: FieldPath, sources: readonly EnvFromSource[] = []): FieldError[] {
  return sources.flatMap(({ prefix, configMapRef, secretRef }, index) => {
    const itemPath = path.index(index);
    const errors: FieldError[] = [];
    if (prefix) errors.push(...checkValue(itemPath.child('prefix'), prefix, isRelaxedEnvVarName));
    for (const [type, reference] of Object.entries({ configMapRef, secretRef })) {
      if (reference)
        errors.push(...checkRequiredValue(itemPath.child(type, 'name'), reference.name, prefixedNameProblems));
    }
    if (!configMapRef && !secretRef) {
      errors.push(invalidField(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    } else if (configMapRef && secretRef) errors.push(invalidField(path, '', tooManySources));
    return errors;
  });
}

/** Here alone a name may end in a dash, as if something were to be appended to it. */
function prefixedNameProblems(name: string): readonly string[] {
  return validateDnsSubdomainName(name, true);
}
