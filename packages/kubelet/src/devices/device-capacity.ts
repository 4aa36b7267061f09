/**
 * What a node has: what the machine has, what plugins count, and extended resources that others advertise in the
 * capacity of its status. Those are not the kubelet's to remove, and all of them may be used by pods: capacity and
 * allocatable take them from the same place.
 */
export function withDevices(
  own: Readonly<Record<string, string>>,
  advertised: Readonly<Record<string, string>> | undefined,
  counts: ReadonlyMap<string, number>,
): Record<string, string> {
  const extended = Object.entries(advertised ?? {}).filter(([name]) => name.includes('/'));
  const counted = [...counts].map(([name, count]) => [name, String(count)]);
  return { ...Object.fromEntries(extended), ...own, ...Object.fromEntries(counted) };
}
