import type { EventRecorder } from '@coracle/client';
import { nodeReference } from '../container-reference.js';
import { OomParser, rootCgroup } from './oom-parser.js';

/** Kernel messages from now on. */
export interface KernelLog {
  follow(onMessage: (message: string) => void): Disposable;
}

export interface OomWatchOptions {
  readonly nodeName: string;
  readonly kernelLog: KernelLog;
  readonly recorder: EventRecorder;
}

/**
 * Reports processes that were killed because the machine ran out of memory. OOM kills in pods with limits are reported
 * by the runtime.
 */
export function watchOom({ nodeName, kernelLog, recorder }: OomWatchOptions): Disposable {
  const parser = new OomParser();
  return kernelLog.follow((message) => {
    const kill = parser.read(message);
    if (kill?.cgroup !== rootCgroup) return;
    const text = `System OOM encountered, victim process: ${kill.processName}, pid: ${kill.pid}`;
    recorder.event(nodeReference(nodeName), 'Warning', 'SystemOOM', text);
  });
}
