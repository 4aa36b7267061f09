/** A set of CPUs or NUMA nodes in the kernel's list format: `0-3,8`. Throws an error with the problem. */
export function parseCpuSet(text: string): number[] {
  if (text.trim() === '') return [];
  const members = text.split(',').flatMap((part) => {
    const match = /^\s*(\d+)(?:-(\d+))?\s*$/.exec(part);
    const [first, last] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
    if (!match || last < first) throw new Error(`unable to parse ${JSON.stringify(text)} as a list of CPUs`);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  return [...new Set(members)].sort((a, b) => a - b);
}

export function formatCpuSet(cpus: Iterable<number>): string {
  const runs: [number, number][] = [];
  for (const cpu of [...cpus].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && last[1] === cpu - 1) last[1] = cpu;
    else runs.push([cpu, cpu]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',');
}
