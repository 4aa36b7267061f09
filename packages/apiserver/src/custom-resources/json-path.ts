import { isRecord } from '@coracle/base';

type Step = (values: readonly unknown[]) => readonly unknown[];

/**
 * Reads a JSON path as definitions use it: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`,
 * `.items[*].name`, `.metadata.labels['a.b']`. `undefined` for a path that it cannot read.
 */
export function parseJsonPath(path: string): ((value: unknown) => readonly unknown[]) | undefined {
  const steps: Step[] = [];
  let rest = path.startsWith('$') ? path.slice(1) : path;
  while (rest !== '') {
    const found = stepAt(rest);
    if (!found) return undefined;
    steps.push(found.step);
    rest = rest.slice(found.length);
  }
  return (value) => steps.reduce<readonly unknown[]>((values, step) => step(values), [value]);
}

function stepAt(text: string): { readonly step: Step; readonly length: number } | undefined {
  for (const [pattern, make] of steps) {
    const match = pattern.exec(text);
    if (match) return { step: make(match[1] ?? '', match[2] ?? ''), length: match[0].length };
  }
  return undefined;
}

const steps: readonly (readonly [RegExp, (first: string, second: string) => Step])[] = [
  [/^\.?\[\*\]|^\.\*/, () => (values) => values.flatMap(all)],
  [/^\.((?:[^.[\]\\]|\\.)+)/, (name) => field(name.replace(/\\(.)/g, '$1'))],
  [/^\[(-?\d+)\]/, (index) => (values) => values.flatMap((value) => item(value, Number(index)))],
  [/^\[['"]([^'"]+)['"]\]/, (name) => field(name)],
  [
    /^\[\?\(\s*@((?:\.[\w-]+)+)\s*==\s*(["'][^"']*["']|[\w.]+)\s*\)\]/,
    (path, literal) => {
      const read = parseJsonPath(path);
      const wanted = literal.replace(/^["']|["']$/g, '');
      return (values) => values.flatMap(all).filter((value) => String(read?.(value)[0]) === wanted);
    },
  ],
];

function field(name: string): Step {
  return (values) => values.flatMap((value) => (isRecord(value) && Object.hasOwn(value, name) ? [value[name]] : []));
}

function all(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}

function item(value: unknown, index: number): readonly unknown[] {
  const found: unknown = Array.isArray(value) ? value.at(index) : undefined;
  return found === undefined ? [] : [found];
}
