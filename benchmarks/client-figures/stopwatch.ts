export interface Taken {
  readonly ms: number;
  /** Processor time: what is left of the figure when the machine has other work too. */
  readonly cpuMs: number;
}

/** Begins to measure; the result says what has passed since. */
export function stopwatch(): () => Taken {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { ms: performance.now() - begun, cpuMs: (user + system) / 1_000 };
  };
}
