import type { Container, LifecycleHandler, Pod } from '@coracle/api';
import { writeJson } from '@coracle/apimachinery';
import { sleep } from '@coracle/base';
import type { RuntimeService } from '@coracle/cri';
import type { Needs } from './kubelet-parts.js';
import type { Prober } from './probes/prober.js';

export interface HookRun {
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  readonly hook: LifecycleHandler;
  readonly podIp: string;
  /** Ends the wait for the hook, with an error. */
  readonly signal: AbortSignal;
}

export interface HookParts extends Needs<'clock'> {
  readonly runtime: Pick<RuntimeService, 'execSync'>;
  readonly prober: Pick<Prober, 'callHook'>;
}

/** Runs a hook in a container. Returns the failure, if there is one. */
export async function runHook(parts: HookParts, run: HookRun): Promise<string | undefined> {
  const { hook, containerId, signal } = run;
  if (hook.sleep) {
    await sleep(parts.clock, Number(hook.sleep.seconds) * 1_000, signal);
    return undefined;
  }
  if (hook.exec) {
    const cmd = hook.exec.command ?? [];
    const { exitCode = 0, stderr } = await parts.runtime.execSync({ containerId, cmd });
    if (exitCode === 0) return undefined;
    return `command '${cmd.join(' ')}' exited with ${exitCode}: ${new TextDecoder().decode(stderr)}`;
  }
  // The API accepts a tcpSocket, which has never been carried out.
  if (!hook.httpGet) return `invalid handler: ${writeJson(hook)}`;
  const { pod, container, podIp } = run;
  await parts.prober.callHook({ pod, container, containerId, action: hook.httpGet, podIp }, signal);
  return undefined;
}
