/** `/proc/stat` uses hundredths of a second. */
const nanosInTick = 10_000_000;

/** Busy time of all CPUs, without idle and iowait, in nanoseconds. */
export function parseCpuTotal(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (/^cpu +(.*)$/m.exec(stat)?.[1] ?? '')
    .split(' ')
    .map(Number);
  return (user + nice + system + irq + softirq + steal) * nanosInTick;
}

function kilobytes(meminfo: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(meminfo)?.[1] ?? 0) * 1024;
}

/** The working set: memory that cannot be reclaimed at once, which is all but inactive file pages. */
export function parseMemory(meminfo: string, vmstat: string) {
  const total = kilobytes(meminfo, 'MemTotal');
  const usageBytes = total - kilobytes(meminfo, 'MemFree');
  const workingSetBytes = Math.max(0, usageBytes - kilobytes(meminfo, 'Inactive\\(file\\)'));
  const counter = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(vmstat)?.[1] ?? 0);
  return {
    total,
    usageBytes,
    workingSetBytes,
    availableBytes: Math.max(0, total - workingSetBytes),
    rssBytes: kilobytes(meminfo, 'AnonPages'),
    pageFaults: counter('pgfault'),
    majorPageFaults: counter('pgmajfault'),
  };
}

export function parseSwap(meminfo: string) {
  const [total, free] = [kilobytes(meminfo, 'SwapTotal'), kilobytes(meminfo, 'SwapFree')];
  return { swapAvailableBytes: free, swapUsageBytes: total - free };
}

/** Every interface of `/proc/net/dev` but the loopback. */
export function parseInterfaces(text: string) {
  return text.split('\n').flatMap((line) => {
    const [, name, rest = ''] = /^\s*(\S+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || name === 'lo') return [];
    const [rxBytes = 0, , rxErrors = 0, , , , , , txBytes = 0, , txErrors = 0] = rest.split(/\s+/).map(Number);
    return [{ name, rxBytes, rxErrors, txBytes, txErrors }];
  });
}

/** The interface of the default route in `/proc/net/route`. */
export function parseRoute(text: string): string | undefined {
  return text
    .split('\n')
    .map((line) => line.split('\t'))
    .find(([, destination]) => destination === '00000000')?.[0];
}
