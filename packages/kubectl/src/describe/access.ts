import { type Fields, recordAt, recordsAt, textAt, textsAt } from '../values.js';
import type { Describer } from './tools.js';
import { writeHead } from './writer.js';

/** A rule for one resource. */
export interface SimpleRule {
  readonly resource: string;
  readonly urls: readonly string[];
  readonly names: readonly string[];
  readonly verbs: readonly string[];
}

/** Rules taken apart: one a group, resource and name, with the verbs of equal ones together. */
export function simplifyRules(rules: readonly Fields[]): SimpleRule[] {
  const found = new Map<string, SimpleRule>();
  const add = (rule: Omit<SimpleRule, 'verbs'>, verbs: readonly string[]) => {
    const key = JSON.stringify([rule.resource, rule.urls, rule.names]);
    const before = found.get(key);
    found.set(key, { ...rule, verbs: [...new Set([...(before?.verbs ?? []), ...verbs])] });
  };
  for (const rule of rules) {
    const verbs = textsAt(rule, 'verbs');
    const names = textsAt(rule, 'resourceNames');
    for (const url of textsAt(rule, 'nonResourceURLs')) add({ resource: '', urls: [url], names: [] }, verbs);
    for (const group of textsAt(rule, 'apiGroups'))
      for (const resource of textsAt(rule, 'resources'))
        for (const name of names.length === 0 ? [''] : names)
          add({ resource: combined(resource, group), urls: [], names: name === '' ? [] : [name] }, verbs);
  }
  return [...found.values()];
}

/** `jobs.batch/status`: the group is behind the resource. */
function combined(resource: string, group: string): string {
  const [name = '', sub] = resource.split(/\/(.*)/s);
  return `${name}${group === '' ? '' : `.${group}`}${sub === undefined ? '' : `/${sub}`}`;
}

export const describeRole: Describer = (object, w) => {
  writeHead(w, object, { namespaced: false });
  w.write(0, 'PolicyRule:');
  w.write(1, 'Resources\tNon-Resource URLs\tResource Names\tVerbs');
  w.write(1, '---------\t-----------------\t--------------\t-----');
  for (const { resource, urls, names, verbs } of sortedRules(simplifyRules(recordsAt(object, 'rules'))))
    w.write(1, `${resource}\t[${urls.join(' ')}]\t[${names.join(' ')}]\t[${verbs.join(' ')}]`);
};

/** In the order of the rules as Go prints them: by verbs first. */
export function sortedRules(rules: readonly SimpleRule[]): SimpleRule[] {
  const text = ({ resource, urls, names, verbs }: SimpleRule) => {
    const [name = '', sub] = resource.split(/\/(.*)/s);
    const [base = '', ...group] = name.split('.');
    const groups = resource === '' ? '' : group.join('.');
    const path = sub === undefined ? base : `${base}/${sub}`;
    return `Verbs:[${verbs.join(' ')}],APIGroups:[${groups}],Resources:[${path}],ResourceNames:[${names.join(' ')}],NonResourceURLs:[${urls.join(' ')}],`;
  };
  return [...rules].sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
}

export const describeRoleBinding: Describer = (object, w) => {
  writeHead(w, object, { namespaced: false });
  const role = recordAt(object, 'roleRef');
  w.write(0, 'Role:');
  w.write(1, `Kind:\t${textAt(role, 'kind')}`);
  w.write(1, `Name:\t${textAt(role, 'name')}`);
  w.write(0, 'Subjects:');
  w.write(1, 'Kind\tName\tNamespace');
  w.write(1, '----\t----\t---------');
  for (const subject of recordsAt(object, 'subjects'))
    w.write(1, `${textAt(subject, 'kind')}\t${textAt(subject, 'name')}\t${textAt(subject, 'namespace')}`);
};
