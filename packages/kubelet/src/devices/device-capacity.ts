/**
 * What a node has: what the machine has, what plugins count, and extended resources that others wrote into its status,
 * which are not the kubelet's to remove.
 */
export function withDevices(
  own: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>> | undefined,
  counts: ReadonlyMap<string, number>,
): Record<string, string> {
  const extended = Object.entries(before ?? {}).filter(([name]) => name.includes('/'));
  const counted = [...counts].map(([name, count]) => [name, String(count)]);
  return { ...Object.fromEntries(extended), ...own, ...Object.fromEntries(counted) };
}
