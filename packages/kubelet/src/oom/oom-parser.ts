/** A process that the kernel has killed because memory ran out. */
export interface OomKill {
  /** The cgroup of the process: `/` if the whole machine had run out of memory. */
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
 * Finds OOM kills in kernel messages. A kill takes several: which process ran out of memory, which limit it reached,
 * which process was killed.
 */
export class OomParser {
  #cgroup: string | undefined;

  /** The kill that this message is the last of. */
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
