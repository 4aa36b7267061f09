import { type Fields, textsAt } from '../../values.js';

/**
 * What some rules allow and others do not, as rules that each allow one verb on one resource of one group (with one
 * name, where they have names), or on one path.
 */
export function uncoveredRules(rules: readonly Fields[], owners: readonly Fields[]): Fields[] {
  return rules.flatMap(singleRules).filter((single) => !owners.some((owner) => covers(owner, single)));
}

function singleRules(rule: Fields): Fields[] {
  const [verbs, names] = [textsAt(rule, 'verbs'), textsAt(rule, 'resourceNames')];
  const onResources = textsAt(rule, 'apiGroups').flatMap((group) =>
    textsAt(rule, 'resources').flatMap((resource) =>
      verbs.flatMap((verb) => {
        const single = { verbs: [verb], apiGroups: [group], resources: [resource] };
        return names.length === 0 ? [single] : names.map((name) => ({ ...single, resourceNames: [name] }));
      }),
    ),
  );
  const onPaths = textsAt(rule, 'nonResourceURLs').flatMap((url) =>
    verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [url] })),
  );
  return [...onResources, ...onPaths];
}

function covers(owner: Fields, single: Fields): boolean {
  const has = (field: string) => {
    const own = textsAt(owner, field);
    return own.includes('*') || textsAt(single, field).every((one) => own.includes(one));
  };
  return has('verbs') && has('apiGroups') && coversResource(owner, single) && coversPath(owner, single);
}

/** `*` is every resource, and the subresource of every resource is `*` and its name. */
function coversResource(owner: Fields, single: Fields): boolean {
  const [resources, names] = [textsAt(owner, 'resources'), textsAt(owner, 'resourceNames')];
  const isNamed = textsAt(single, 'resourceNames').length > 0;
  const coversName =
    names.length === 0 || (isNamed && textsAt(single, 'resourceNames').every((one) => names.includes(one)));
  return (
    coversName &&
    textsAt(single, 'resources').every((resource) => {
      const slash = resource.indexOf('/');
      return (
        resources.includes('*') ||
        resources.includes(resource) ||
        (slash >= 0 && resources.includes(`*${resource.slice(slash)}`))
      );
    })
  );
}

function coversPath(owner: Fields, single: Fields): boolean {
  return textsAt(single, 'nonResourceURLs').every((url) =>
    textsAt(owner, 'nonResourceURLs').some(
      (own) => own === url || (own.endsWith('*') && url.startsWith(own.replace(/\*+$/, ''))),
    ),
  );
}
