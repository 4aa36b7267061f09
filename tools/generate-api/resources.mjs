import { placeOf } from './facts.mjs';

/** The table of every served resource, and one typed reference a resource. */
export function* resourceFiles(facts) {
  const rows = Object.entries(facts.resources.resources).map(([key, entry]) => row(key, entry));
  const order = ['', ...facts.resources.order.groups];
  rows.sort(
    (a, b) =>
      order.indexOf(a.group) - order.indexOf(b.group) ||
      a.version.localeCompare(b.version) ||
      a.resource.localeCompare(b.resource),
  );
  yield [
    'packages/api/src/generated/resources.ts',
    `import type { ResourceInfo } from '@coracle/apimachinery';\n\n/** The groups in the order in which discovery lists them. */\nexport const groupOrder: readonly string[] = ${JSON.stringify(facts.resources.order.groups)};\n\nexport const resources: readonly ResourceInfo[] = [\n${rows.map((one) => `  ${JSON.stringify(one)},\n`).join('')}];\n`,
  ];
  yield ['packages/api/src/generated/refs.ts', refs(rows, facts)];
  yield ['packages/api/src/generated/kinds.ts', kinds(facts)];
}

function row(key, entry) {
  const parts = key.split('/');
  const resource = parts.pop();
  const version = parts.pop();
  const group = parts.pop() ?? '';
  return {
    group,
    version,
    resource,
    kind: entry.kind,
    singular: entry.singularResource,
    namespaced: entry.scope === 'Namespaced',
    shortNames: entry.shortNames ?? [],
    categories: entry.categories ?? [],
    verbs: entry.verbs,
    subresources: Object.entries(entry.subresources ?? {}).map(([name, sub]) => ({
      name,
      group: sub.group ?? group,
      version: sub.version ?? version,
      kind: sub.kind,
      verbs: sub.verbs,
    })),
  };
}

/** `configmaps` of ConfigMap → `configMaps`; `csidrivers` of CSIDriver → `csiDrivers`. */
function accessor({ kind, resource }) {
  let shared = 0;
  while (shared < kind.length && kind[shared].toLowerCase() === resource[shared]) shared++;
  const camel = kind.slice(0, shared) + resource.slice(shared);
  return camel.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]/, (head) => head.toLowerCase());
}

function refs(rows, { definitions }) {
  const byKind = new Map();
  for (const [name, definition] of Object.entries(definitions))
    for (const gvk of definition.gvk ?? []) byKind.set(gvk, name);
  const imports = new Map();
  const taken = new Set();
  const lines = [];
  const preferred = (one) =>
    /alpha|beta/.test(one.version) ? 2 : one.resource === 'horizontalpodautoscalers' && one.version === 'v1' ? 1 : 0;
  for (const one of [...rows].sort((a, b) => preferred(a) - preferred(b))) {
    const definition = byKind.get(`${one.group}/${one.version}/${one.kind}`);
    if (!definition) continue;
    const place = placeOf(definition);
    let name = accessor(one);
    if (taken.has(name)) name += one.version[0].toUpperCase() + one.version.slice(1);
    if (taken.has(name)) continue;
    taken.add(name);
    const alias = place.module.replace(/-/g, '');
    imports.set(place.module, alias);
    const { group, version, resource, kind, namespaced } = one;
    lines.push(
      `  ${name}: { group: '${group}', version: '${version}', resource: '${resource}', kind: '${kind}', namespaced: ${namespaced} } as ResourceRef<${alias}.${place.name}>,\n`,
    );
  }
  const importLines = [...imports]
    .sort()
    .map(([module, alias]) => `import type * as ${alias} from './types/${module}.js';\n`);
  return `import type { ResourceRef } from '@coracle/apimachinery';\n${importLines.join('')}\n/** Names every resource together with the type of its objects: \`client.resource(refs.pods)\`. */\nexport const refs = {\n${lines.join('')}} as const;\n`;
}

function kinds({ definitions }) {
  const lines = [];
  for (const [name, definition] of Object.entries(definitions).sort()) {
    const place = placeOf(name);
    const mine = (definition.gvk ?? []).filter((gvk) => !/\/(DeleteOptions|WatchEvent)$/.test(gvk));
    for (const gvk of mine) lines.push(`  '${gvk}': '${place.module}/${place.name}',\n`);
  }
  return `/** \`group/version/kind\` → the definition that describes it. */\nexport const definitionByKind: Readonly<Record<string, string>> = {\n${lines.join('')}};\n`;
}
