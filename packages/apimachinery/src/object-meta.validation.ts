import { deepEqual } from '@coracle/base';
import { type FieldError, forbiddenField, invalidField, requiredField, tooLongField } from './field-error.js';
import { FieldPath } from './field-path.js';
import { finalizerDomainProblems } from './finalizers.js';
import { parseApiVersion } from './group-version.js';
import { validateLabels } from './label-selector.validation.js';
import { byteLength, isDns1123Label, isQualifiedName, validateDnsSubdomainName } from './names.js';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from './object-meta.js';

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  /** Whether a name, or the beginning of one, is good for this kind; a DNS subdomain unless stated. */
  readonly validateName?: ((name: string, prefix: boolean) => string[]) | undefined;
  /** `metadata` unless stated. */
  readonly path?: FieldPath;
  /** Custom resources may have finalizers without a domain. */
  readonly anyFinalizer?: boolean;
}

const metadata = FieldPath.of('metadata');
const annotationsLimit = 256 * 1024;

/** What a new object's metadata must be. Runs after names are generated. */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules): FieldError[] {
  const path = rules.path ?? metadata;
  return [
    ...validateNames(meta, rules, path),
    ...((meta.generation ?? 0) < 0
      ? [invalidField(path.child('generation'), meta.generation, 'must be greater than or equal to 0')]
      : []),
    ...validateLabels(meta.labels, path.child('labels')),
    ...validateAnnotations(meta.annotations, path.child('annotations')),
    ...validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences')),
    ...validateFinalizers(meta.finalizers, path.child('finalizers')),
    ...validateManagedFields(meta.managedFields, path.child('managedFields')),
    ...(rules.anyFinalizer ? [] : validateStandardFinalizers(meta.finalizers, path.child('finalizers'))),
  ];
}

/** What may become of metadata in an update. */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  previous: ObjectMeta,
  options: { readonly path?: FieldPath; readonly anyFinalizer?: boolean } = {},
): FieldError[] {
  const { path = metadata } = options;
  return [
    ...validateNewFinalizers(meta, previous, path.child('finalizers')),
    ...(meta.resourceVersion
      ? []
      : [invalidField(path.child('resourceVersion'), meta.resourceVersion ?? '', 'must be specified for an update')]),
    ...((meta.generation ?? 0) < (previous.generation ?? 0)
      ? [invalidField(path.child('generation'), meta.generation ?? 0, 'must not be decremented')]
      : []),
    ...immutableFields.flatMap((field) => validateImmutableField(meta[field], previous[field], path.child(field))),
    ...validateLabels(meta.labels, path.child('labels')),
    ...validateAnnotations(meta.annotations, path.child('annotations')),
    ...validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences')),
    ...validateManagedFields(meta.managedFields, path.child('managedFields')),
    ...(options.anyFinalizer ? [] : validateStandardFinalizers(meta.finalizers, path.child('finalizers'))),
  ];
}

const immutableFields = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** A finding when the value has changed; an absent value and an empty string are the same. */
function validateImmutableField(value: unknown, previous: unknown, path: FieldPath): FieldError[] {
  return deepEqual(value ?? '', previous ?? '') ? [] : [invalidField(path, value, 'field is immutable')];
}

function validateNames(meta: ObjectMeta, rules: ObjectMetaRules, path: FieldPath): FieldError[] {
  const { validateName = validateDnsSubdomainName } = rules;
  const errors: FieldError[] = [];
  const { generateName, name } = meta;
  if (generateName)
    for (const problem of validateName(generateName, true))
      errors.push(invalidField(path.child('generateName'), generateName, problem));
  if (!name) errors.push(requiredField(path.child('name'), 'name or generateName is required'));
  else for (const problem of validateName(name, false)) errors.push(invalidField(path.child('name'), name, problem));
  errors.push(...validateNamespace(meta.namespace, rules.namespaced, path.child('namespace')));
  return errors;
}

function validateNamespace(namespace: string | undefined, namespaced: boolean, path: FieldPath): FieldError[] {
  if (!namespaced) return namespace ? [forbiddenField(path, 'not allowed on this type')] : [];
  if (!namespace) return [requiredField(path)];
  return isDns1123Label(namespace).map((problem) => invalidField(path, namespace, problem));
}

/** Keys are qualified names in any case; all keys and values together may take 256 KiB. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
): FieldError[] {
  if (!annotations) return [];
  const errors: FieldError[] = [];
  let size = 0;
  for (const key of Object.keys(annotations).sort()) {
    for (const problem of isQualifiedName(key.toLowerCase())) errors.push(invalidField(path, key, problem));
    size += byteLength(key) + byteLength(annotations[key] ?? '');
  }
  if (size > annotationsLimit) errors.push(tooLongField(path, annotationsLimit));
  return errors;
}

function validateOwnerReferences(references: readonly OwnerReference[] | undefined, path: FieldPath): FieldError[] {
  if (!references) return [];
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const reference of references) {
    errors.push(...validateOwnerReference(reference, path));
    if (!reference.controller) continue;
    if (controller !== undefined) {
      const found = `Found "true" in references for ${controller} and ${reference.name}`;
      errors.push(invalidField(path, references, `Only one reference can have Controller set to true. ${found}`));
    } else controller = reference.name;
  }
  return errors;
}

function validateOwnerReference(reference: OwnerReference, path: FieldPath): FieldError[] {
  const { apiVersion = '', kind = '' } = reference;
  const errors: FieldError[] = [];
  const version = parseApiVersion(apiVersion)?.version ?? '';
  if (version === '') errors.push(invalidField(path.child('apiVersion'), apiVersion, 'version must not be empty'));
  for (const field of ['kind', 'name', 'uid'] as const)
    if (!reference[field]) errors.push(invalidField(path.child(field), reference[field] ?? '', 'must not be empty'));
  if (apiVersion === 'v1' && kind === 'Event')
    errors.push(invalidField(path, reference, '/v1, Kind=Event is disallowed from being an owner'));
  return errors;
}

function validateFinalizers(finalizers: readonly string[] | undefined, path: FieldPath): FieldError[] {
  if (!finalizers) return [];
  const errors = finalizers.flatMap((name) =>
    isQualifiedName(name).map((problem) => invalidField(path, name, problem)),
  );
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(invalidField(path, finalizers, 'finalizer foregroundDeletion and orphan cannot be both set'));
  return errors;
}

function validateStandardFinalizers(finalizers: readonly string[] | undefined, path: FieldPath): FieldError[] {
  return (finalizers ?? []).flatMap((name, i) =>
    finalizerDomainProblems(name).map((problem) => invalidField(path.index(i), name, problem)),
  );
}

function validateNewFinalizers(meta: ObjectMeta, previous: ObjectMeta, path: FieldPath): FieldError[] {
  if (!previous.deletionTimestamp) return [];
  const added = (meta.finalizers ?? []).filter((name) => !previous.finalizers?.includes(name)).sort();
  if (added.length === 0) return [];
  const names = `[]string{${added.map((name) => JSON.stringify(name)).join(', ')}}`;
  const problem = `no new finalizers can be added if the object is being deleted, found new finalizers ${names}`;
  return [forbiddenField(path, problem)];
}

function validateManagedFields(entries: readonly ManagedFieldsEntry[] | undefined, path: FieldPath): FieldError[] {
  return (entries ?? []).flatMap((entry, i) => {
    const at = path.index(i);
    const errors: FieldError[] = [];
    if (entry.operation !== 'Apply' && entry.operation !== 'Update')
      errors.push(invalidField(at.child('operation'), entry.operation ?? '', 'must be `Apply` or `Update`'));
    if (entry.fieldsType && entry.fieldsType !== 'FieldsV1')
      errors.push(invalidField(at.child('fieldsType'), entry.fieldsType, 'must be `FieldsV1`'));
    errors.push(...validateFieldManager(entry.manager ?? '', at.child('manager')));
    if (byteLength(entry.subresource ?? '') > 256) errors.push(tooLongField(at.child('subresource'), 256));
    return errors;
  });
}

/** Also for the query parameter of that name. */
export function validateFieldManager(manager: string, path: FieldPath): FieldError[] {
  const errors = byteLength(manager) > 128 ? [tooLongField(path, 128)] : [];
  if (/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(manager))
    errors.push(invalidField(path, manager, 'should only contain printable characters'));
  return errors;
}
