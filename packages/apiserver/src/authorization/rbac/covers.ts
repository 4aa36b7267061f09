import { nonResourceUrlMatches, type PolicyRule } from './rule-match.js';

/** The part of `rules` that the rules a user holds do not cover: granting it would be privilege escalation. */
export function uncovered(held: readonly PolicyRule[], rules: readonly PolicyRule[]): PolicyRule[] {
  return rules.flatMap(breakDown).filter((rule) => !held.some((mine) => covers(mine, rule)));
}

/** One rule for each verb on each resource or path, so that several held rules can cover one rule together. */
function breakDown(rule: PolicyRule): PolicyRule[] {
  const broken: PolicyRule[] = [];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs) {
        const one = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (rule.resourceNames?.length)
          for (const name of rule.resourceNames) broken.push({ ...one, resourceNames: [name] });
        else broken.push(one);
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? [])
    for (const verb of rule.verbs) broken.push({ nonResourceURLs: [url], verbs: [verb] });
  return broken;
}

/** `rule` is broken down: it has one of each. */
function covers(held: PolicyRule, rule: PolicyRule): boolean {
  return (
    coversAll(held.verbs, rule.verbs) &&
    coversAll(held.apiGroups, rule.apiGroups) &&
    coversResources(held.resources, rule.resources) &&
    coversNames(held.resourceNames, rule.resourceNames) &&
    (rule.nonResourceURLs ?? []).every((url) => nonResourceUrlMatches(held.nonResourceURLs, url))
  );
}

function coversAll(held: readonly string[] = [], requested: readonly string[] = []): boolean {
  return held.includes('*') || requested.every((one) => held.includes(one));
}

function coversResources(held: readonly string[] = [], requested: readonly string[] = []): boolean {
  return requested.every(
    (one) => held.includes('*') || held.includes(one) || (one.includes('/') && held.includes(`*/${one.split('/')[1]}`)),
  );
}

/** No names mean all names. An asterisk is a name like any other. */
function coversNames(held: readonly string[] | undefined, requested: readonly string[] | undefined): boolean {
  if (!held?.length) return true;
  return Boolean(requested?.length) && (requested ?? []).every((name) => held.includes(name));
}

/** Rules about one resource, or one object of it, as one rule with all their verbs. */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const compacted: PolicyRule[] = [];
  const byResource = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { apiGroups, resources, resourceNames, nonResourceURLs, verbs } = rule;
    const isSimple = apiGroups?.length === 1 && resources?.length === 1 && (resourceNames?.length ?? 0) < 2;
    if (!isSimple || nonResourceURLs?.length) {
      compacted.push(rule);
      continue;
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    const mergedRule = byResource.get(key);
    byResource.set(key, mergedRule ? { ...mergedRule, verbs: [...mergedRule.verbs, ...verbs] } : rule);
  }
  return [...compacted, ...byResource.values()];
}

/** As messages show it: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export function describeRule({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }: PolicyRule): string {
  const list = (values: readonly string[]) => `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
  const parts = [
    ...(nonResourceURLs?.length ? [`NonResourceURLs:${list(nonResourceURLs)}`] : []),
    ...(apiGroups?.length ? [`APIGroups:${list(apiGroups)}`] : []),
    ...(resources?.length ? [`Resources:${list(resources)}`] : []),
    ...(resourceNames?.length ? [`ResourceNames:${list(resourceNames)}`] : []),
    `Verbs:${list(verbs)}`,
  ];
  return `{${parts.join(', ')}}`;
}
