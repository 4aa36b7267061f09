import type { EventRecorder } from '@coracle/client';
import { nodeReference } from '../container-reference.js';
import { OomParser, rootCgroup } from './oom-parser.js';

/** The messages of the kernel, from now on. */
export interface KernelLog {
  follow(onMessage: (message: string) => void): Disposable;
}

export interface OomWatchOptions {
  readonly nodeName: string;
  readonly kernelLog: KernelLog;
  readonly recorder: EventRecorder;
}

/** Reports processes that were killed because the machine ran out of memory. Those of pods with limits report themselves. */
export function watchOom({ nodeName, kernelLog, recorder }: OomWatchOptions): Disposable {
  const parser = new OomParser();
  return kernelLog.follow((message) => {
    const kill = parser.read(message);
    if (kill?.cgroup !== rootCgroup) return;
    const text = `System OOM encountered, victim process: ${kill.processName}, pid: ${kill.pid}`;
    recorder.event(nodeReference(nodeName), 'Warning', 'SystemOOM', text);
  });
}
