import { nonResourceUrlMatches, type PolicyRule } from './rule-match.js';

/** What of `wanted` is not covered by what somebody holds: whoever grants it would give away more than they have. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((rule) => !held.some((mine) => covers(mine, rule)));
}

/** One rule for each verb on each resource or path, so that several held rules can cover one wanted rule together. */
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

/** `wanted` is broken down: it has one of each. */
function covers(held: PolicyRule, wanted: PolicyRule): boolean {
  return (
    coversAll(held.verbs, wanted.verbs) &&
    coversAll(held.apiGroups, wanted.apiGroups) &&
    coversResources(held.resources, wanted.resources) &&
    coversNames(held.resourceNames, wanted.resourceNames) &&
    (wanted.nonResourceURLs ?? []).every((url) => nonResourceUrlMatches(held.nonResourceURLs, url))
  );
}

function coversAll(held: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return held.includes('*') || wanted.every((one) => held.includes(one));
}

function coversResources(held: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return wanted.every(
    (one) => held.includes('*') || held.includes(one) || (one.includes('/') && held.includes(`*/${one.split('/')[1]}`)),
  );
}

/** No names mean all names. An asterisk is a name like any other. */
function coversNames(held: readonly string[] | undefined, wanted: readonly string[] | undefined): boolean {
  if (!held?.length) return true;
  return Boolean(wanted?.length) && (wanted ?? []).every((name) => held.includes(name));
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
