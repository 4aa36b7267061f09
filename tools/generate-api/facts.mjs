import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** The facts, with each definition placed in the file it is generated into. */
export function readFacts(folder) {
  const json = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const { definitions } = json('types.json');
  return {
    definitions,
    protobuf: json('protobuf.json'),
    resources: json('resources.json'),
    columns: json('printer-columns.json'),
    rbac: json('rbac-defaults.json'),
    cri: json('cri.json'),
    presence: readPresence(),
    /** File name → full definition names in it, sorted. */
    modules: groupByModule(Object.keys(definitions)),
  };
}

/** `io.k8s.api.core.v1.Pod` → module `core-v1`, name `Pod`. */
export function placeOf(definition) {
  const parts = definition.split('.');
  const name = parts.pop();
  const path = parts.join('.').replace(/^io\.k8s\./, '');
  const modules = {
    'apimachinery.pkg.apis.meta.v1': 'meta-v1',
    'apimachinery.pkg.api.resource': 'meta-v1',
    'apimachinery.pkg.runtime': 'meta-v1',
    'apimachinery.pkg.util.intstr': 'meta-v1',
    'apimachinery.pkg.version': 'meta-v1',
    'apiextensions-apiserver.pkg.apis.apiextensions.v1': 'apiextensions-v1',
    'kube-aggregator.pkg.apis.apiregistration.v1': 'apiregistration-v1',
  };
  return { module: modules[path] ?? path.replace(/^api\./, '').replace('.', '-'), name };
}

function groupByModule(names) {
  const modules = new Map();
  for (const name of names.sort()) {
    const { module } = placeOf(name);
    modules.set(module, [...(modules.get(module) ?? []), name]);
  }
  return modules;
}

/**
 * What the facts do not tell: which fields are written even when empty, and which drop their empty value.
 * It follows from the Go types: a value with `omitempty` drops its empty value, one without is always written, a
 * pointer without it is written as null.
 * One file a module, one line a type: `Container: always resources; nonzero image stdin tty`. Only fields that differ
 * from the rule in schemas.mjs are named.
 */
function readPresence() {
  const presence = new Map();
  for (const file of readdirSync(join(here, 'presence'))) {
    const module = file.replace(/\.txt$/, '');
    for (const line of readFileSync(join(here, 'presence', file), 'utf8').split('\n')) {
      const text = line.replace(/#.*/, '').trim();
      if (text === '') continue;
      const [type, rules] = text.split(/:\s*/);
      for (const rule of rules.split(/;\s*/)) {
        const [kind, ...fields] = rule.trim().split(/\s+/);
        if (!['always', 'nonzero', 'given', 'null'].includes(kind))
          throw new Error(`${file}: unknown presence ${kind} in: ${line}`);
        for (const field of fields) presence.set(`${module}/${type}.${field}`, kind);
      }
    }
  }
  return presence;
}
