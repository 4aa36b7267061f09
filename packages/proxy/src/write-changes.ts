import type { ElementChanges } from './element-table.js';
import type { Element } from './plan-service.js';
import { familyWord, proxyTable } from './proxy-table.js';
import type { Family } from './service-port.js';

/** The statements for `nft -f` that apply changes, in one transaction with others. */
export function writeChanges(family: Family, { removed, added }: ElementChanges): string {
  return [...grouped('delete', family, removed), ...grouped('add', family, added)].join('\n');
}

function grouped(verb: 'add' | 'delete', family: Family, elements: readonly Element[]): string[] {
  const maps = new Map<string, string[]>();
  for (const { map, key, value } of elements) {
    const list = maps.get(map) ?? [];
    list.push(verb === 'add' && value ? `${key} : ${value}` : key);
    maps.set(map, list);
  }
  return [...maps].map(
    ([map, list]) => `${verb} element ${familyWord(family)} ${proxyTable} ${map} { ${list.join(', ')} }\n`,
  );
}

/** The chains that elements lead to, beside those of the table's own rules. */
export function chainsNeededBy(elements: readonly Element[]): Set<string> {
  const chains = new Set<string>();
  for (const { value } of elements) {
    const [, chain] = /^(?:goto|jump) (.*-\d+(?:-sticky)?)$/.exec(value) ?? [];
    if (chain) chains.add(chain);
  }
  return chains;
}
