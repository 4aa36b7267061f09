import type { GroupVersion, GroupVersionKind, ResourceInfo, SubresourceInfo } from '@coracle/apimachinery';
import { definitionOfKind } from './definitions.js';
import { type ParameterKey, parametersOfAction, parametersOfSubresource } from './parameters.js';
import { groupVersionTitle, tagOf } from './titles.js';

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

/** One operation of a resource, independent of the OpenAPI version. */
export interface Operation {
  readonly path: string;
  readonly method: Method;
  /** Absent where no resource is requested. */
  readonly action?: string;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly gvk?: GroupVersionKind;
  readonly parameters: readonly ParameterKey[];
  readonly body: 'object' | 'patch' | 'deleteOptions' | 'none';
  readonly answer: 'object' | 'list' | 'status' | 'watchEvent' | 'text' | Definition;
  /** The successful ones; 401 is always possible. */
  readonly codes: readonly number[];
  readonly deprecated: boolean;
  /** Of a resource that a CRD defines: without protobuf and without strategic merge patches. */
  readonly isCustom?: true;
}

/** A definition by its full name. */
export interface Definition {
  readonly definition: string;
}

/** `/api/v1` for the core group, `/apis/apps/v1` for any other. */
export function basePathOf({ group, version }: GroupVersion): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Every operation on a resource and its subresources, as its verbs say. */
export function operationsOf(resource: ResourceInfo): Operation[] {
  const base = basePathOf(resource);
  const scope = resource.namespaced ? '/namespaces/{namespace}' : '';
  const collection = `${scope}/${resource.resource}`;
  const item = `${collection}/{name}`;
  const can = (verb: string) => resource.verbs.includes(verb);
  const paths: [string, Rule, string][] = [
    [`${base}${collection}`, rules.list, 'list'],
    [`${base}${collection}`, rules.create, 'create'],
    [`${base}${collection}`, rules.deletecollection, 'deletecollection'],
    [`${base}${item}`, rules.get, 'get'],
    [`${base}${item}`, rules.update, 'update'],
    [`${base}${item}`, rules.patch, 'patch'],
    [`${base}${item}`, rules.delete, 'delete'],
    [`${base}/watch${collection}`, rules.watchlist, 'watch'],
    [`${base}/watch${item}`, rules.watch, 'watch'],
  ];
  if (resource.namespaced) {
    paths.push([`${base}/${resource.resource}`, rules.list, 'list']);
    paths.push([`${base}/watch/${resource.resource}`, rules.watchlist, 'watch']);
  }
  const own = paths
    // One object cannot be watched where it cannot be read.
    .filter(([, rule, verb]) => can(verb) && (rule !== rules.watch || can('get')))
    .map(([path, rule]) => makeOperation(path, rule, { resource }));
  return [...own, ...resource.subresources.flatMap((sub) => subresourceOperations(`${base}${item}`, resource, sub))];
}

interface Rule {
  readonly method: Method;
  readonly action: string;
  /** How the operation's name begins. */
  readonly word: string;
  readonly says: string;
  readonly body?: Operation['body'];
  readonly answer?: Operation['answer'];
  readonly codes: readonly number[];
}

const rules = {
  list: { method: 'get', action: 'list', word: 'list', says: 'list or watch objects', answer: 'list', codes: [200] },
  create: { method: 'post', action: 'post', word: 'create', says: 'create', body: 'object', codes: [200, 201, 202] },
  get: { method: 'get', action: 'get', word: 'read', says: 'read', codes: [200] },
  update: { method: 'put', action: 'put', word: 'replace', says: 'replace', body: 'object', codes: [200, 201] },
  patch: { method: 'patch', action: 'patch', word: 'patch', says: 'change', body: 'patch', codes: [200, 201] },
  delete: {
    method: 'delete',
    action: 'delete',
    word: 'delete',
    says: 'delete',
    body: 'deleteOptions',
    answer: 'status',
    codes: [200, 202],
  },
  deletecollection: {
    method: 'delete',
    action: 'deletecollection',
    word: 'delete',
    says: 'delete a collection',
    body: 'deleteOptions',
    answer: 'status',
    codes: [200],
  },
  watch: { method: 'get', action: 'watch', word: 'watch', says: 'watch', answer: 'watchEvent', codes: [200] },
  watchlist: {
    method: 'get',
    action: 'watchlist',
    word: 'watch',
    says: 'watch a list',
    answer: 'watchEvent',
    codes: [200],
  },
} as const satisfies Record<string, Rule>;

const connects = new Set(['attach', 'exec', 'portforward', 'proxy']);
const methodOfVerb: Readonly<Record<string, Method>> = {
  get: 'get',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
};

function subresourceOperations(item: string, resource: ResourceInfo, sub: SubresourceInfo): Operation[] {
  const path = `${item}/${sub.name}`;
  if (!connects.has(sub.name)) {
    const ruleVerbs = sub.verbs.filter((verb): verb is keyof typeof rules => verb in rules);
    return ruleVerbs.map((verb) => makeOperation(path, rules[verb], { resource, sub }));
  }
  const methods = sub.verbs.flatMap((verb) => methodOfVerb[verb] ?? []);
  if (sub.name !== 'proxy') return methods.map((method) => makeOperation(path, connect(method), { resource, sub }));
  const all: Method[] = [...methods, 'head', 'options'];
  return [path, `${path}/{path}`].flatMap((one) =>
    all.map((method) => makeOperation(one, connect(method), { resource, sub })),
  );
}

function connect(method: Method): Rule {
  return {
    method,
    action: 'connect',
    word: 'connect',
    says: `connect ${method} requests`,
    answer: 'text',
    codes: [200],
  };
}

interface Subject {
  readonly resource: ResourceInfo;
  readonly sub?: SubresourceInfo;
}

function makeOperation(path: string, rule: Rule, subject: Subject): Operation {
  const { resource, sub } = subject;
  const { group, version, kind } = sub ?? resource;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as ParameterKey);
  const special = sub ? (parametersOfSubresource[`${resource.resource}/${sub.name}`] ?? []) : [];
  const answer = sub?.name === 'log' ? 'text' : (rule.answer ?? 'object');
  return {
    path,
    method: rule.method,
    action: rule.action,
    id: operationId(path, rule, subject),
    tag: tagOf(resource),
    description: `${rule.says} of kind ${resource.kind}${sub ? `, subresource ${sub.name}` : ''}`,
    gvk: { group, version, kind },
    parameters: [...(parametersOfAction[rule.action] ?? []), ...special, ...inPath],
    body: rule.body ?? 'none',
    answer:
      answer === 'status' && returnsDeleted.has(resource.resource) && rule.action === 'delete' ? 'object' : answer,
    codes: rule.codes,
    deprecated: rule.action.startsWith('watch'),
    ...(definitionOfKind(resource) === undefined && { isCustom: true }),
  };
}

/** Deleting one of these answers with the object instead of a Status. */
const returnsDeleted = new Set([
  'csidrivers',
  'csinodes',
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
  'storageclasses',
  'volumeattachments',
  'volumeattributesclasses',
]);

/** `listCoreV1NamespacedPod`, `connectCoreV1GetNamespacedPodProxyWithPath`: the names that generated clients have. */
function operationId(path: string, { action, word, method }: Rule, { resource, sub }: Subject): string {
  const middle = action === 'deletecollection' ? 'Collection' : action === 'connect' ? capitalized(method) : '';
  const scope = path.includes('{namespace}') ? 'Namespaced' : '';
  const isWide = resource.namespaced && scope === '';
  const tail = sub ? capitalized(subresourceTitles[sub.name] ?? sub.name) : action === 'watchlist' ? 'List' : '';
  const end = path.endsWith('{path}') ? 'WithPath' : isWide ? 'ForAllNamespaces' : '';
  return `${word}${groupVersionTitle(resource)}${middle}${scope}${resource.kind}${tail}${end}`;
}

const subresourceTitles: Readonly<Record<string, string>> = { ephemeralcontainers: 'Ephemeralcontainers' };

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
