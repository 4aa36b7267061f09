import {
  byteLength,
  type FieldError,
  FieldPath,
  invalidField,
  isDns1123Subdomain,
  requiredField,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from '../../generated/types/apiextensions-v1.js';
import { checkImmutable, checkRequiredSupported } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { checkVersionSchema } from './json-schema.validation.js';
import { checkNames, checkRequiredNames, checkWord } from './names.validation.js';
import { checkColumns, checkConversion, checkSelectableFields, checkSubresources } from './version-parts.validation.js';

const specPath = FieldPath.of('spec');
const versionsPath = specPath.child('versions');
const maxWarningBytes = 256;

export function validateCustomResourceDefinition(crd: CustomResourceDefinition): FieldError[] {
  return [
    ...checkName(crd),
    ...checkSpec(crd.spec),
    ...checkAcceptedNames(crd),
    ...checkStoredVersions(crd),
    ...checkApproval(crd),
    ...checkPreserveUnknownFields(crd.spec),
  ];
}

export function validateCustomResourceDefinitionUpdate(
  crd: CustomResourceDefinition,
  previous: CustomResourceDefinition,
): FieldError[] {
  const { spec } = crd;
  const { spec: before, status, metadata } = previous;
  const established = (status?.conditions ?? []).some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  const wasApproved = deepEqual(metadata.annotations?.[approval], crd.metadata.annotations?.[approval]);
  return [
    ...checkSpec(spec, before),
    ...(established ? checkImmutable(specPath.child('scope'), spec.scope, before.scope) : []),
    ...(established ? checkImmutable(specPath.child('names', 'kind'), spec.names.kind, before.names.kind) : []),
    ...checkImmutable(specPath.child('group'), spec.group, before.group),
    ...checkImmutable(specPath.child('names', 'plural'), spec.names.plural, before.names.plural),
    ...checkAcceptedNames(crd),
    ...checkStoredVersions(crd),
    // An annotation that was accepted is not validated again.
    ...(wasApproved ? [] : checkApproval(crd)),
    ...(before.preserveUnknownFields ? [] : checkPreserveUnknownFields(spec)),
  ];
}

/** Versions that objects are no longer stored in are taken out here by the client that has migrated them. */
export function validateCustomResourceDefinitionStatusUpdate(crd: CustomResourceDefinition): FieldError[] {
  return checkAcceptedNames(crd);
}

function checkAcceptedNames({ status }: CustomResourceDefinition): FieldError[] {
  return status?.acceptedNames ? checkNames(FieldPath.of('status', 'acceptedNames'), status.acceptedNames) : [];
}

/** The name is derived from the served resource, so that no two CRDs define the same one. */
function checkName({ metadata, spec }: CustomResourceDefinition): FieldError[] {
  const expected = `${spec.names?.plural ?? ''}.${spec.group}`;
  return (['generateName', 'name'] as const).flatMap((field) => {
    const { [field]: name = '' } = metadata;
    if (name === '' || name === expected) return [];
    return [invalidField(`metadata.${field}`, name, 'must be spec.names.plural+"."+spec.group')];
  });
}

/** `before`: the spec that is updated. */
function checkSpec(spec: CustomResourceDefinitionSpec, before?: CustomResourceDefinitionSpec): FieldError[] {
  const versions = spec.versions ?? [];
  const shared = { ...sharedParts(versions), unchanged: unchangedSchemas(versions, before?.versions ?? []) };
  const names = spec.names ?? { kind: '', plural: '' };
  return [
    ...checkGroup(specPath.child('group'), spec.group),
    ...checkRequiredSupported(specPath.child('scope'), spec.scope, ['Cluster', 'Namespaced']),
    ...checkSchemasGiven(versions),
    ...checkDefaultsAllowed(spec),
    ...versions.flatMap((version, index) => checkVersion(versionsPath.index(index), version, shared)),
    ...checkVersionSet(versions, shared),
    ...checkRequiredNames(specPath.child('names'), names),
    ...checkNames(specPath.child('names'), names),
    ...checkParts(specPath, versions[0], { ...shared, top: true }),
    ...checkConversion(specPath.child('conversion'), spec.conversion),
  ];
}

function checkGroup(path: FieldPath, group: string): FieldError[] {
  if (!group) return [requiredField(path)];
  const problems = isDns1123Subdomain(group);
  if (problems.length > 0) return [invalidField(path, group, problems.join(','))];
  return group.includes('.') ? [] : [invalidField(path, group, 'should be a domain with at least one dot')];
}

/** Parts that all versions have in common are reported once, at the top of the spec, where they were before v1. */
interface SharedParts {
  /** The names of versions whose schemas an update leaves as they are. */
  readonly unchanged: ReadonlySet<string>;
  readonly schema: boolean;
  readonly columns: boolean;
  readonly subresources: boolean;
  readonly selectable: boolean;
}

function unchangedSchemas(
  versions: readonly CustomResourceDefinitionVersion[],
  before: readonly CustomResourceDefinitionVersion[],
): ReadonlySet<string> {
  const isUnchanged = ({ name, schema }: CustomResourceDefinitionVersion) =>
    before.some((one) => one.name === name && deepEqual(one.schema, schema));
  return new Set(versions.filter(isUnchanged).map(({ name }) => name));
}

function sharedParts(versions: readonly CustomResourceDefinitionVersion[]): Omit<SharedParts, 'unchanged'> {
  const same = (part: (version: CustomResourceDefinitionVersion) => unknown) =>
    versions.every((version) => deepEqual(part(version), part(versions[0] as CustomResourceDefinitionVersion)));
  return {
    schema: same((version) => version.schema),
    columns: same((version) => version.additionalPrinterColumns),
    subresources: same((version) => version.subresources),
    selectable: same((version) => version.selectableFields),
  };
}

function checkSchemasGiven(versions: readonly CustomResourceDefinitionVersion[]): FieldError[] {
  return versions.flatMap((version, index) =>
    version.schema?.openAPIV3Schema
      ? []
      : [requiredField(versionsPath.index(index).child('schema', 'openAPIV3Schema'))],
  );
}

function checkDefaultsAllowed(spec: CustomResourceDefinitionSpec): FieldError[] {
  const withDefaults = (spec.versions ?? []).some(({ schema }) => hasDefault(schema?.openAPIV3Schema));
  if (!spec.preserveUnknownFields || !withDefaults) return [];
  const detail = 'must be false in order to use defaults in the schema';
  return [invalidField(specPath.child('preserveUnknownFields'), true, detail)];
}

function hasDefault(schema: JSONSchemaProps | undefined): boolean {
  if (!schema) return false;
  if (schema.default !== undefined) return true;
  const { properties = {}, items, additionalProperties } = schema;
  const children = [...Object.values(properties), items, additionalProperties];
  return children.some((child) => typeof child === 'object' && !Array.isArray(child) && hasDefault(child));
}

function checkPreserveUnknownFields(spec: CustomResourceDefinitionSpec): FieldError[] {
  if (!spec.preserveUnknownFields) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [invalidField(specPath.child('preserveUnknownFields'), true, detail)];
}

function checkVersion(path: FieldPath, version: CustomResourceDefinitionVersion, shared: SharedParts): FieldError[] {
  return [
    ...checkWord(path.child('name'), version.name),
    ...checkWarning(path.child('deprecationWarning'), version),
    ...checkParts(path, version, { ...shared, top: false }),
  ];
}

function checkWarning(path: FieldPath, version: CustomResourceDefinitionVersion): FieldError[] {
  const { deprecationWarning: warning, deprecated } = version;
  if (warning === undefined) return [];
  const refuse = (detail: string) => [invalidField(path, warning, detail)];
  if (!deprecated) return refuse('can only be set for deprecated versions');
  if (warning === '') return refuse('must not be an empty string');
  const strange = [...warning].findIndex((letter) => /[\p{C}\p{Zl}\p{Zp}]/u.test(letter));
  return [
    ...(byteLength(warning) > maxWarningBytes ? refuse(`must be <= ${maxWarningBytes} characters long`) : []),
    ...(strange < 0
      ? []
      : refuse(
          `must only contain printable UTF-8 characters; non-printable character found at index ${byteLength([...warning].slice(0, strange).join(''))}`,
        )),
  ];
}

/** The parts of a version that belong to this place: the shared ones at the top, the others in their version. */
function checkParts(
  path: FieldPath,
  version: CustomResourceDefinitionVersion | undefined,
  { schema, columns, subresources, selectable, unchanged, top }: SharedParts & { readonly top: boolean },
): FieldError[] {
  if (!version) return [];
  const errors: FieldError[] = [];
  const root = version.schema?.openAPIV3Schema;
  if (columns === top) {
    errors.push(...checkColumns(path.child('additionalPrinterColumns'), version.additionalPrinterColumns ?? []));
  }
  if (schema === top && root) {
    const schemaPath = path.child(top ? 'validation' : 'schema', 'openAPIV3Schema');
    const hasStatus = version.subresources?.status !== undefined;
    errors.push(...checkVersionSchema(schemaPath, root, { hasStatus, isUnchanged: unchanged.has(version.name) }));
  }
  if (selectable === top) {
    errors.push(...checkSelectableFields(path.child('selectableFields'), version.selectableFields ?? [], root));
  }
  if (subresources === top) errors.push(...checkSubresources(path.child('subresources'), version.subresources));
  return errors;
}

function checkVersionSet(versions: readonly CustomResourceDefinitionVersion[], shared: SharedParts): FieldError[] {
  const errors: FieldError[] = [];
  const shown = () => versions.map((version) => printedVersion(version, shared));
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(invalidField(versionsPath, shown(), 'must contain unique version names'));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    const detail = 'must have exactly one version marked as storage version';
    errors.push(invalidField(versionsPath, shown(), detail));
  }
  const first = versions[0]?.name;
  return first ? [...errors, ...checkWord(specPath.child('version'), first)] : errors;
}

function printedVersion(version: CustomResourceDefinitionVersion, shared: SharedParts): unknown {
  const { schema, subresources, additionalPrinterColumns, selectableFields, ...rest } = version;
  return goValue('apiextensions-v1/CustomResourceDefinitionVersion', {
    ...rest,
    ...(!shared.schema && { schema }),
    ...(!shared.subresources && { subresources }),
    ...(!shared.columns && { additionalPrinterColumns }),
    ...(!shared.selectable && { selectableFields }),
  });
}

function checkStoredVersions({ spec, status }: CustomResourceDefinition): FieldError[] {
  const path = FieldPath.of('status', 'storedVersions');
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [invalidField(path, null, 'must have at least one stored version')];
  const names = new Set((spec.versions ?? []).map(({ name }) => name));
  return stored.flatMap((version, index) => {
    if (names.has(version)) return [];
    const detail = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;
    return [invalidField(path.index(index), version, detail)];
  });
}

const approval = 'api-approved.kubernetes.io';

/** Groups of the project itself need the approval of its API reviewers. */
function checkApproval({ metadata, spec }: CustomResourceDefinition): FieldError[] {
  const isProtected = /(^|\.)(k8s\.io|kubernetes\.io)$/.test(spec.group ?? '');
  const annotation = metadata.annotations?.[approval];
  if (!isProtected) return [];
  const path = FieldPath.of('metadata', 'annotations').key(approval);
  if (annotation === undefined || annotation === '') {
    const detail =
      'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111';
    return [requiredField(path, detail)];
  }
  if (annotation.startsWith('unapproved') || /^https?:\/\/\S+$/.test(annotation)) return [];
  const detail = `protected groups must have approval annotation "${approval}" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`;
  return [invalidField(path, annotation, detail)];
}
