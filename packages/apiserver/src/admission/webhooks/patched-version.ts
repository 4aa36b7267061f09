import { schemaOfKind } from '@coracle/api';
import {
  type GroupVersionKind,
  internalError,
  invalid,
  invalidField,
  type KubeObject,
  parseApiVersion,
  unexplainedFailure,
  writeJson,
} from '@coracle/apimachinery';
import { kindProblem, noKind } from '../../kind-problem.js';
import type { AdmissionAttributes, AdmissionVersion } from '../admission.js';

/** Where kube-apiserver declares its kinds, as its messages name it. */
const scheme = 'pkg/api/legacyscheme/scheme.go:30';

/**
 * The version in which a webhook left an object, by the `apiVersion` and `kind` after its patch. A patch may turn an
 * object into another version of its kind. Throws if it makes an object of another kind.
 */
export function patchedVersion(
  { requested, equivalents, name }: AdmissionAttributes,
  shown: AdmissionVersion,
  changed: KubeObject,
): AdmissionVersion {
  const isCustom = schemaOfKind(shown.kind) === undefined;
  const stated = isCustom ? statedKind(changed) : withDefaults(statedKind(changed), shown.kind);
  const found = [shown, requested, ...equivalents].find(({ kind }) => isSame(kind, stated));
  if (found) return found;
  throw isCustom ? otherCustomKind(stated, shown.kind, { name, changed }) : otherKind(stated, shown.kind);
}

function statedKind(changed: KubeObject): GroupVersionKind {
  const problem = kindProblem(changed);
  if (problem !== undefined) throw internalError(new Error(noKind + problem));
  const apiVersion = changed.apiVersion ?? '';
  const kind = changed.kind ?? '';
  const version = parseApiVersion(apiVersion);
  if (!version) throw internalError(new Error(`unexpected GroupVersion string: ${apiVersion}`));
  return { ...version, kind };
}

/** A built-in kind may be left out. */
function withDefaults({ group, version, kind }: GroupVersionKind, otherwise: GroupVersionKind): GroupVersionKind {
  const isVersioned = version !== '' || group !== '';
  return { ...(isVersioned ? { group, version } : otherwise), kind: kind === '' ? otherwise.kind : kind };
}

function isSame(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}

/** A kind that exists is read and cannot be converted; one that does not cannot be read. */
function otherKind(stated: GroupVersionKind, shown: GroupVersionKind): Error {
  const { group, version, kind } = stated;
  if (schemaOfKind(stated)) {
    const internal = `${shown.group === '' ? 'core' : shown.group.split('.')[0]}.${shown.kind}`;
    return unexplainedFailure(`converting (${version}.${kind}) to (${internal}): unknown conversion`);
  }
  const apiVersion = JSON.stringify(group === '' ? version : `${group}/${version}`);
  const missing = `no kind ${JSON.stringify(kind)} is registered for version ${apiVersion} in scheme "${scheme}"`;
  return internalError(new Error(missing));
}

/** Any object can be read as a custom one: its version is a matter of conversion, its kind one of validation. */
function otherCustomKind(
  stated: GroupVersionKind,
  shown: GroupVersionKind,
  { name, changed }: { readonly name: string; readonly changed: KubeObject },
): Error {
  const { group, version, kind } = stated;
  if (kind === '') return internalError(new Error(`Object 'Kind' is missing in '${writeJson(changed)}'`));
  const target = `${shown.group}/${shown.version}`;
  if (group !== shown.group) {
    const from = `${group}/${version}, Kind=${kind}`;
    return unexplainedFailure(`${from} is unstructured and is not suitable for converting to "${target}"`);
  }
  if (version !== shown.version)
    return unexplainedFailure(`request to convert CR from an invalid group/version: ${group}/${version}`);
  return invalid({ group, kind }, name, [invalidField('kind', kind, `must be ${shown.kind}`)]);
}
