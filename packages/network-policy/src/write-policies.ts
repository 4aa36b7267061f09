import type { PolicyPlan } from './plan-policies.js';

/** The table of network policies. */
export const policyTable = 'inet coracle-policy';

/** Removes the table, whether it is there or not. */
export function dropPolicies(): string {
  return `add table ${policyTable}\ndelete table ${policyTable}\n`;
}

/** The frame of the table: packets of an allowed connection pass, all others are checked by pod. */
export function policyFrame(): string {
  const frame = ['ingress', 'egress'].flatMap((direction) =>
    ([4, 6] as const).map(
      (family) => `  map ${direction}-${family} { type ${family === 4 ? 'ipv4_addr' : 'ipv6_addr'} : verdict; }`,
    ),
  );
  const passed = [
    'ct state established,related accept',
    'icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-solicit, nd-router-advert } accept',
  ]
    .map((rule) => `    ${rule}`)
    .join('\n');
  return `${dropPolicies()}table ${policyTable} {
${frame.join('\n')}
  chain judge-egress {
    ip saddr vmap @egress-4
    ip6 saddr vmap @egress-6
  }
  chain judge-ingress {
    ip daddr vmap @ingress-4
    ip6 daddr vmap @ingress-6
  }
  # Two chains of one hook: what the one accepts the other still judges.
  chain forward-egress { type filter hook forward priority 0;
${passed}
    jump judge-egress
  }
  chain forward-ingress { type filter hook forward priority 1;
${passed}
    jump judge-ingress
  }
  # What a pod sends to its node is filtered too.
  chain input-egress { type filter hook input priority 0;
${passed}
    jump judge-egress
  }
}
`;
}

/** The statements that lead from one plan to another, for one transaction. */
export function writePolicyChanges(before: PolicyPlan | undefined, after: PolicyPlan): string {
  const lines: string[] = [];
  const add = (line: string) => lines.push(line);
  for (const [name, { type }] of after.sets)
    if (!before?.sets.has(name)) add(`add set ${policyTable} ${name} { type ${type}; }`);
  for (const name of after.chains.keys()) if (!before?.chains.has(name)) add(`add chain ${policyTable} ${name}`);
  for (const [name, rules] of after.chains) {
    const old = before?.chains.get(name);
    if (old && old.join('\n') === rules.join('\n')) continue;
    if (old) add(`flush chain ${policyTable} ${name}`);
    for (const rule of rules) add(`add rule ${policyTable} ${name} ${rule}`);
  }
  for (const [name, { elements }] of after.sets)
    elementChanges(name, before?.sets.get(name)?.elements, elements).forEach(add);
  for (const [name, verdicts] of after.maps) verdictChanges(name, before?.maps.get(name), verdicts).forEach(add);
  // Unreferenced objects: first the rules, then what they referred to.
  const gone = [...(before?.chains.keys() ?? [])].filter((name) => !after.chains.has(name));
  for (const name of gone) add(`flush chain ${policyTable} ${name}`);
  for (const name of gone) add(`delete chain ${policyTable} ${name}`);
  for (const name of before?.sets.keys() ?? []) if (!after.sets.has(name)) add(`delete set ${policyTable} ${name}`);
  return lines.map((line) => `${line}\n`).join('');
}

function elementChanges(name: string, before: ReadonlySet<string> | undefined, after: ReadonlySet<string>): string[] {
  const removed = [...(before ?? [])].filter((element) => !after.has(element));
  const added = [...after].filter((element) => !before?.has(element));
  return [
    ...(removed.length > 0 ? [`delete element ${policyTable} ${name} { ${removed.join(', ')} }`] : []),
    ...(added.length > 0 ? [`add element ${policyTable} ${name} { ${added.join(', ')} }`] : []),
  ];
}

/** Verdicts jump: what a chain does not drop is then checked in the other direction. */
function verdictChanges(
  name: string,
  before: ReadonlyMap<string, string> | undefined,
  after: ReadonlyMap<string, string>,
): string[] {
  const removed = [...(before ?? [])]
    .filter(([address, chain]) => after.get(address) !== chain)
    .map(([address]) => address);
  const added = [...after].filter(([address, chain]) => before?.get(address) !== chain);
  return [
    ...(removed.length > 0 ? [`delete element ${policyTable} ${name} { ${removed.join(', ')} }`] : []),
    ...(added.length > 0
      ? [
          `add element ${policyTable} ${name} { ${added.map(([address, chain]) => `${address} : jump ${chain}`).join(', ')} }`,
        ]
      : []),
  ];
}
