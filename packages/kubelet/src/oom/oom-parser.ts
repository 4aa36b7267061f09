/** A process that the kernel killed because of lack of memory. */
export interface OomKill {
  /** The cgroup of the process: `/` if the whole machine was out of memory. */
  readonly cgroup: string;
  readonly processName: string;
  readonly pid: number;
}

/** The cgroup of system-wide OOM kills, wherever the process was. */
export const rootCgroup = '/';

const begin = /invoked oom-killer:/;
const limited = /oom-kill:constraint=.*,oom_memcg=.*,task_memcg=(.*),task=.*,pid=\d+,uid=\d+/;
const end = /Killed process (\d+) \((.+?)\)/;

/**
 * Finds OOM kills in kernel messages. A kill takes several: the process that ran out of memory, the limit that it
 * reached, the process that was killed.
 */
export class OomParser {
  #cgroup: string | undefined;

  /** The kill that this message completes. */
  read(message: string): OomKill | undefined {
    if (begin.test(message)) this.#cgroup = rootCgroup;
    if (this.#cgroup === undefined) return undefined;
    this.#cgroup = limited.exec(message)?.[1] ?? this.#cgroup;
    const [, pid, processName = ''] = end.exec(message) ?? [];
    if (pid === undefined) return undefined;
    const kill = { cgroup: this.#cgroup, processName, pid: Number(pid) };
    this.#cgroup = undefined;
    return kill;
  }
}
