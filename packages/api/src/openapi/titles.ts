import type { GroupVersion } from '@coracle/apimachinery';

/** `AppsV1`, `CoreV1`, `RbacAuthorizationV1`: how a group version is part of a name. */
export function groupVersionTitle({ group, version }: GroupVersion): string {
  return groupWords(group).map(capitalized).join('') + capitalized(version);
}

/** `Apps`, `RbacAuthorization`. */
export function groupTitle(group: string): string {
  return groupWords(group).map(capitalized).join('');
}

/** `apps_v1`, `rbacAuthorization_v1`: the tag of a group version's operations. */
export function tagOf({ group, version }: GroupVersion): string {
  return `${groupTag(group)}_${version}`;
}

export function groupTag(group: string): string {
  const [first = '', ...rest] = groupWords(group);
  return first + rest.map(capitalized).join('');
}

function groupWords(group: string): string[] {
  return (group === '' ? 'core' : group.replace(/\.k8s\.io$/, '')).split(/[.-]/);
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
