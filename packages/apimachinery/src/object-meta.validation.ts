import { deepEqual } from '@coracle/base';
import { type FieldError, forbiddenField, invalidField, requiredField, tooLongField } from './field-error.js';
import { FieldPath } from './field-path.js';
import { finalizerDomainProblems } from './finalizers.js';
import { parseApiVersion } from './group-version.js';
import { sortedKeys, validateLabels } from './label-selector.validation.js';
import { byteLength, isDns1123Label, isQualifiedName, validateDnsSubdomainName } from './names.js';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from './object-meta.js';

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  /** Validates a name, or its prefix, for this kind; a DNS subdomain by default. */
  readonly validateName?: ((name: string, prefix: boolean) => string[]) | undefined;
  /** `metadata` unless stated. */
  readonly path?: FieldPath;
  /** Custom resources may have finalizers without a domain. */
  readonly anyFinalizer?: boolean;
}

const metadata = FieldPath.of('metadata');
const annotationsLimit = 256 * 1024;

/** Validates the metadata of a new object. Runs after names are generated. */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules): FieldError[] {
  const path = rules.path ?? metadata;
  const errors = validateNames(meta, rules, path);
  if ((meta.generation ?? 0) < 0)
    errors.push(invalidField(path.child('generation'), meta.generation, 'must be greater than or equal to 0'));
  validateContent(errors, meta, { path, checksFinalizers: true, ...rules });
  return errors;
}

/** The rules for new metadata and for changed metadata. Every object is validated: absent fields cost nothing. */
function validateContent(
  errors: FieldError[],
  meta: ObjectMeta,
  { path, checksFinalizers, anyFinalizer }: { path: FieldPath; checksFinalizers: boolean; anyFinalizer?: boolean },
): void {
  const { labels, annotations, ownerReferences, finalizers, managedFields } = meta;
  if (labels) errors.push(...validateLabels(labels, path.child('labels')));
  if (annotations) errors.push(...validateAnnotations(annotations, path.child('annotations')));
  if (ownerReferences) errors.push(...validateOwnerReferences(ownerReferences, path.child('ownerReferences')));
  if (finalizers && checksFinalizers) errors.push(...validateFinalizers(finalizers, path.child('finalizers')));
  managedFields?.forEach(
    (entry, i) => void validateManagedFields(errors, entry, () => path.child('managedFields').index(i)),
  );
  if (finalizers && !anyFinalizer) errors.push(...validateStandardFinalizers(finalizers, path.child('finalizers')));
}

/** Validates the metadata of an update. */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  previous: ObjectMeta,
  options: { readonly path?: FieldPath; readonly anyFinalizer?: boolean } = {},
): FieldError[] {
  const { path = metadata } = options;
  const errors = validateNewFinalizers(meta, previous, path.child('finalizers'));
  if (!meta.resourceVersion)
    errors.push(
      invalidField(path.child('resourceVersion'), meta.resourceVersion ?? '', 'must be specified for an update'),
    );
  if ((meta.generation ?? 0) < (previous.generation ?? 0))
    errors.push(invalidField(path.child('generation'), meta.generation ?? 0, 'must not be decremented'));
  for (const field of immutableFields)
    if (hasChanged(meta[field], previous[field]))
      errors.push(invalidField(path.child(field), meta[field], 'field is immutable'));
  validateContent(errors, meta, { checksFinalizers: false, ...options, path });
  return errors;
}

const immutableFields = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** An absent value and an empty string are the same. */
function hasChanged(value: unknown, previous: unknown): boolean {
  return value !== previous && !deepEqual(value ?? '', previous ?? '');
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
  for (const key of sortedKeys(annotations)) {
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

function validateManagedFields(errors: FieldError[], entry: ManagedFieldsEntry, at: () => FieldPath): void {
  const { operation, fieldsType, manager = '', subresource = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update')
    errors.push(invalidField(at().child('operation'), operation ?? '', 'must be `Apply` or `Update`'));
  if (fieldsType && fieldsType !== 'FieldsV1')
    errors.push(invalidField(at().child('fieldsType'), fieldsType, 'must be `FieldsV1`'));
  if (!isGoodManager(manager)) errors.push(...validateFieldManager(manager, at().child('manager')));
  if (subresource.length > 64 && byteLength(subresource) > 256)
    errors.push(tooLongField(at().child('subresource'), 256));
}

const plainManager = /^[\x20-\x7e]{0,128}$/;

/** Most are short and valid, which one test shows. */
function isGoodManager(manager: string): boolean {
  return plainManager.test(manager);
}

const unprintable = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

function unprintableAt(character: string, position: number): string {
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
  return `invalid character U+${code} (at position ${position})`;
}

/** Also for the query parameter of that name. */
export function validateFieldManager(manager: string, path: FieldPath): FieldError[] {
  if (isGoodManager(manager)) return [];
  const errors = byteLength(manager) > 128 ? [tooLongField(path, 128)] : [];
  let position = 0;
  for (const character of manager) {
    if (unprintable.test(character)) errors.push(invalidField(path, manager, unprintableAt(character, position)));
    position += byteLength(character);
  }
  return errors;
}
