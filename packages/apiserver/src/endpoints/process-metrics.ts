import type { Metrics } from '@coracle/base';
import { versionInfo } from './version.js';

/** Metrics of the process, under the names of the Prometheus client libraries. */
export interface ProcessStats {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly startTimeSeconds: number;
  /** Absent where the platform does not count them. */
  readonly openFiles?: number;
}

/** The `process_*` metrics of one process. */
export class ProcessUse {
  readonly #metrics: Metrics;
  #cpuSeconds = 0;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  show({ residentBytes, startTimeSeconds, openFiles, cpuSeconds }: ProcessStats): void {
    const metrics = this.#metrics;
    const set = (name: string, help: string, value: number) => metrics.gauge({ name, help }).set(value);
    set('process_resident_memory_bytes', 'Memory that the process holds.', residentBytes);
    set('process_start_time_seconds', 'When it started, since the epoch.', startTimeSeconds);
    if (openFiles !== undefined) set('process_open_fds', 'Files and sockets that it has open.', openFiles);
    const cpu = metrics.counter({ name: 'process_cpu_seconds_total', help: 'CPU time of the process in seconds.' });
    cpu.add(cpuSeconds - this.#cpuSeconds);
    this.#cpuSeconds = cpuSeconds;
  }

  /** Call it after the counters were reset. */
  reset(): void {
    this.#cpuSeconds = 0;
  }
}

/** The metric `kubernetes_build_info`. */
export function describeBuild(metrics: Metrics): void {
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = versionInfo;
  const build = {
    major,
    minor,
    git_version: gitVersion,
    git_commit: gitCommit,
    git_tree_state: gitTreeState,
    build_date: buildDate,
    go_version: goVersion,
    compiler,
    platform,
  };
  const options = { name: 'kubernetes_build_info', help: 'What is running.', labels: Object.keys(build) };
  metrics.gauge(options).set(1, build);
}
