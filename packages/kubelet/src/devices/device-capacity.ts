/**
 * What a node has: what the machine has, what plugins count, and extended resources that others advertise in the
 * capacity of its status. The kubelet does not remove the latter, and pods may use all of them, so capacity and
 * allocatable are equal for them.
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
