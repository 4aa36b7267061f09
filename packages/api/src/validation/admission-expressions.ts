import {
  authorizerType,
  boolType,
  type CelType,
  declare,
  dynType,
  type FunctionDeclaration,
  global,
  intType,
  listType,
  mapType,
  objectType,
  resourceCheckType,
  signature,
  stringType,
} from '@coracle/apimachinery';

const texts = (...names: string[]): [string, CelType][] => names.map((name) => [name, stringType]);
const type = (name: string, fields: [string, CelType][]): CelType => objectType(name, new Map(fields));
const textMap = mapType(stringType, stringType);

const kind = type('kubernetes.GroupVersionKind', texts('group', 'version', 'kind'));
const resource = type('kubernetes.GroupVersionResource', texts('group', 'version', 'resource'));
const userInfo = type('kubernetes.UserInfo', [
  ...texts('username', 'uid'),
  ['groups', listType(stringType)],
  ['extra', mapType(stringType, listType(stringType))],
]);

/** The variable `request`. */
const requestType = type('kubernetes.AdmissionRequest', [
  ['kind', kind],
  ['resource', resource],
  ['requestKind', kind],
  ['requestResource', resource],
  ...texts('subResource', 'requestSubResource', 'name', 'namespace', 'operation'),
  ['userInfo', userInfo],
  ['dryRun', boolType],
  ['options', dynType],
]);

const namespaceMetadata = type('kubernetes.NamespaceMetadata', [
  // Upstream declares `UID` in capitals, though objects have no such field.
  ...texts('name', 'generateName', 'namespace', 'UID', 'resourceVersion'),
  ['labels', textMap],
  ['annotations', textMap],
  ['creationTimestamp', dynType],
  ['deletionTimestamp', dynType],
  ['deletionGracePeriodSeconds', intType],
  ['generation', intType],
  ['finalizers', listType(stringType)],
]);

const namespaceCondition = type('kubernetes.NamespaceCondition', [
  ...texts('type', 'status', 'reason', 'message'),
  ['lastTransitionTime', dynType],
]);

/** The variable `namespaceObject`. */
const namespaceType = type('kubernetes.Namespace', [
  ['metadata', namespaceMetadata],
  ['spec', type('kubernetes.NamespaceSpec', [['finalizers', listType(stringType)]])],
  ['status', type('kubernetes.NamespaceStatus', [['conditions', listType(namespaceCondition)], ...texts('phase')])],
]);

/** Name → type of what expressions about requests may use; the others may be anything. */
const knownTypes: Readonly<Record<string, CelType>> = {
  authorizer: authorizerType,
  request: requestType,
  namespaceObject: namespaceType,
};

/** The types of these variables. An expression that has `authorizer` has `authorizer.requestResource`, too. */
export function admissionVariables(names: readonly string[]): Record<string, CelType> {
  const types = Object.fromEntries(names.map((name) => [name, knownTypes[name] ?? dynType]));
  return names.includes('authorizer') ? { ...types, 'authorizer.requestResource': resourceCheckType } : types;
}

/** Functions that only the expressions of mutating policies have. */
export const policyFunctions: readonly FunctionDeclaration[] = [
  declare(
    'jsonpatch.escapeKey',
    global(signature('jsonpatch_escapeKey', [stringType], stringType), (key: string) =>
      key.replaceAll('~', '~0').replaceAll('/', '~1'),
    ),
  ),
];
