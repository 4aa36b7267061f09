import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
  notSupportedField,
  requiredField,
} from '@coracle/apimachinery';
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  ServiceAccountSubject,
  Subject,
} from '../../generated/types/flowcontrol-v1.js';
import { checkRequiredValue, checkSupported, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';

const specPath = FieldPath.of('spec');
const maxPrecedence = 10_000;
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

export function validateFlowSchema({ spec, metadata }: FlowSchema): FieldError[] {
  const { matchingPrecedence = 0, distinguisherMethod, rules = [] } = spec ?? {};
  const level = spec?.priorityLevelConfiguration?.name;
  const levelPath = specPath.child('priorityLevelConfiguration', 'name');
  return [
    ...checkPrecedence(specPath.child('matchingPrecedence'), matchingPrecedence, metadata.name ?? ''),
    ...(distinguisherMethod ? checkDistinguisher(distinguisherMethod) : []),
    ...(level
      ? checkValue(levelPath, level, isDns1123Subdomain)
      : [requiredField(levelPath, 'must reference a priority level')]),
    ...rules.flatMap((rule, index) => checkRule(specPath.child('rules').index(index), rule)),
  ];
}

function checkPrecedence(path: FieldPath, value: number, name: string): FieldError[] {
  const errors: FieldError[] = [];
  if (value <= 0) errors.push(invalidField(path, value, 'must be a positive value'));
  if (value > maxPrecedence) errors.push(invalidField(path, value, `must not be greater than ${maxPrecedence}`));
  if (value === 1 && name !== 'exempt') {
    errors.push(invalidField(path, value, "only the schema named 'exempt' may have matchingPrecedence 1"));
  }
  return errors;
}

function checkDistinguisher(method: { readonly type: string }): FieldError[] {
  const types = ['ByNamespace', 'ByUser'];
  if (types.includes(method.type)) return [];
  const shown = goValue('flowcontrol-v1/FlowDistinguisherMethod', method);
  return [notSupportedField(specPath.child('distinguisherMethod', 'type'), shown, types)];
}

function checkRule(path: FieldPath, rule: PolicyRulesWithSubjects): FieldError[] {
  const subjects = rule.subjects ?? [];
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const errors = subjects.flatMap((subject, index) => checkSubject(path.child('subjects').index(index), subject));
  if (subjects.length === 0) {
    errors.push(requiredField(path.child('subjects'), 'subjects must contain at least one value'));
  }
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    const detail = 'at least one of resourceRules and nonResourceRules has to be non-empty';
    errors.push(requiredField(path, detail));
  }
  return [
    ...errors,
    ...resourceRules.flatMap((one, index) => checkResourceRule(path.child('resourceRules').index(index), one)),
    ...nonResourceRules.flatMap((one, index) => checkNonResourceRule(path.child('nonResourceRules').index(index), one)),
  ];
}

/** Kind of a subject → the field that describes it. */
const subjectFields = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;
type SubjectKind = keyof typeof subjectFields;

function checkSubject(path: FieldPath, subject: Subject): FieldError[] {
  const kinds = Object.keys(subjectFields) as SubjectKind[];
  const kind = kinds.find((one) => one === subject.kind);
  if (!kind) return checkSupported(path.child('kind'), subject.kind ?? '', [...kinds].sort());
  const others = kinds.filter((other) => other !== kind && subject[subjectFields[other]]);
  return [
    ...checkDescription(path.child(subjectFields[kind]), subject, kind),
    ...others.map((other) => {
      const field = subjectFields[other];
      return forbiddenField(path.child(field), `${field} is forbidden when subject kind is not '${other}'`);
    }),
  ];
}

function checkDescription(path: FieldPath, subject: Subject, kind: SubjectKind): FieldError[] {
  const field = subjectFields[kind];
  const description = subject[field];
  if (!description) return [requiredField(path, `${field} is required when subject kind is '${kind}'`)];
  if (kind === 'ServiceAccount') return checkServiceAccount(path, description as ServiceAccountSubject);
  return description.name ? [] : [requiredField(path.child('name'))];
}

function checkServiceAccount(path: FieldPath, { name, namespace }: ServiceAccountSubject): FieldError[] {
  const namespacePath = path.child('namespace');
  return [
    ...(name === '*' ? [] : checkRequiredValue(path.child('name'), name, isDns1123Subdomain)),
    ...(namespace
      ? checkValue(namespacePath, namespace, isDns1123Label)
      : [requiredField(namespacePath, 'must specify namespace for service account')]),
  ];
}

/** A list that must not be empty, and in which `*` must be the only entry. */
function checkList(
  path: FieldPath,
  values: readonly string[] | null | undefined,
  { missing, others }: { readonly missing: string; readonly others: string },
): FieldError[] {
  if (!values?.length) return [requiredField(path, missing)];
  if (values.length < 2 || !values.includes('*')) return [];
  return [invalidField(path, values, `if '*' is present, must not specify other ${others}`)];
}

function checkVerbs(path: FieldPath, verbList: readonly string[]): FieldError[] {
  const errors = checkList(path, verbList, { missing: 'verbs must contain at least one value', others: 'verbs' });
  if (errors.length > 0 || verbList.includes('*') || verbList.every((verb) => verbs.includes(verb))) return errors;
  return [notSupportedField(path, verbList, verbs)];
}

function checkResourceRule(path: FieldPath, rule: ResourcePolicyRule): FieldError[] {
  const groups = { missing: 'resource rules must supply at least one api group', others: 'api groups' };
  const resources = { missing: 'resource rules must supply at least one resource', others: 'resources' };
  return [
    ...checkVerbs(path.child('verbs'), rule.verbs),
    ...checkList(path.child('apiGroups'), rule.apiGroups, groups),
    ...checkList(path.child('resources'), rule.resources, resources),
    ...checkNamespaces(path.child('namespaces'), rule),
  ];
}

function checkNamespaces(path: FieldPath, rule: ResourcePolicyRule): FieldError[] {
  const namespaces = rule.namespaces ?? [];
  if (namespaces.length === 0 && rule.clusterScope) return [];
  const missing = 'resource rules that are not cluster scoped must supply at least one namespace';
  const errors = checkList(path, namespaces, { missing, others: 'namespaces' });
  if (errors.length > 0) return errors;
  const form = "each member of this list must be '*' or a DNS-1123 label; ";
  return namespaces.flatMap((namespace, index) => {
    if (namespace === '*') return [];
    return isDns1123Label(namespace).map((problem) => invalidField(path.index(index), namespace, form + problem));
  });
}

function checkNonResourceRule(path: FieldPath, rule: NonResourcePolicyRule): FieldError[] {
  const field = path.child('nonResourceURLs');
  const urls = { missing: 'nonResourceURLs must contain at least one value', others: 'non-resource URLs' };
  const errors = checkList(field, rule.nonResourceURLs, urls);
  const nonResourceUrls = errors.length > 0 || rule.nonResourceURLs.includes('*') ? [] : rule.nonResourceURLs;
  return [
    ...checkVerbs(path.child('verbs'), rule.verbs),
    ...errors,
    ...nonResourceUrls.flatMap((url, index) => checkUrlPath(field.index(index), url)),
  ];
}

function checkUrlPath(path: FieldPath, url: string): FieldError[] {
  const problem = urlPathProblem(url);
  return problem === undefined ? [] : [invalidField(path, url, problem)];
}

function urlPathProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const stars = url.split('*').length - 1;
  const onlyAtEnd = stars === 0 || (stars === 1 && url.endsWith('/*'));
  return onlyAtEnd ? undefined : 'wildcard can only do suffix matching';
}
