/**
 * The modules of the group of a module that stand before it in order of stability: for `resource-v1beta1`,
 * `resource-v1` and `resource-v1beta2`. A definition that is equal in several versions is written in the first.
 */
export function otherVersions(module, modules) {
  const group = module.slice(0, module.lastIndexOf('-') + 1);
  const versions = [...modules.keys()].filter((other) => other.startsWith(group)).sort(byStability);
  return versions.slice(0, versions.indexOf(module));
}

function byStability(left, right) {
  const [a, b] = [left, right].map((module) => module.match(/-v(\d+)(?:(alpha|beta)(\d+))?$/));
  const stage = (match) => ['alpha', 'beta', undefined].indexOf(match[2]);
  return stage(b) - stage(a) || Number(a[1]) - Number(b[1]) || Number(b[3] ?? 0) - Number(a[3] ?? 0);
}
