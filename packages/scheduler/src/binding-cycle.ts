import { type Clock, Deferred } from '@coracle/base';
import type { PodInfo } from './cache/pod-info.js';
import type { CycleState } from './framework/cycle-state.js';
import type { PermitPlugin } from './framework/plugin.js';
import type { Profile } from './framework/profile.js';
import { fits } from './framework/verdict.js';

export interface BindingInput {
  readonly profile: Profile;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly node: string;
  readonly waiting: WaitingPods;
}

export type BindingOutcome =
  | { readonly kind: 'bound' }
  /** A plugin said no: the pod is unschedulable for now. */
  | { readonly kind: 'refused'; readonly plugin: string; readonly reason: string }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Reserve → permit → pre-bind → bind → post-bind. What was reserved is given back if anything after it goes wrong. */
export async function bindPod(input: BindingInput): Promise<BindingOutcome> {
  const { profile, state, pod, node } = input;
  const undo = () => {
    for (const plugin of [...profile.reserve].reverse()) plugin.unreserve(state, pod, node);
  };
  try {
    for (const plugin of profile.reserve) {
      const verdict = await plugin.reserve(state, pod, node);
      if (verdict === fits || verdict.kind === 'fits') continue;
      undo();
      return { kind: 'refused', plugin: plugin.name, reason: verdict.reasons.join(', ') };
    }
    const refusal = await permit(input);
    if (refusal) {
      undo();
      return refusal;
    }
    for (const plugin of profile.preBind) await plugin.preBind(state, pod, node);
    await bind(input);
    for (const plugin of profile.postBind) plugin.postBind(state, pod, node);
    return { kind: 'bound' };
  } catch (error) {
    undo();
    return { kind: 'failed', error };
  }
}

async function bind({ profile, state, pod, node }: BindingInput): Promise<void> {
  for (const plugin of profile.bind) if ((await plugin.bind(state, pod, node)) === 'bound') return;
  throw new Error(`no plugin bound the pod ${pod.key}`);
}

async function permit(input: BindingInput): Promise<Extract<BindingOutcome, { kind: 'refused' }> | undefined> {
  for (const plugin of input.profile.permit) {
    const permission = await plugin.permit(input.state, input.pod, input.node);
    if (permission.kind === 'allow') continue;
    const reason =
      permission.kind === 'reject'
        ? permission.reason
        : await input.waiting.wait(input.pod, plugin, permission.timeoutMs);
    if (reason !== undefined) return { kind: 'refused', plugin: plugin.name, reason };
  }
  return undefined;
}

/** Pods that a permit plugin keeps waiting, until it allows or rejects them or their time is over. */
export class WaitingPods {
  readonly #clock: Clock;
  /** `uid/plugin` → how the waiting ends: without a reason the pod may go on. */
  readonly #waiting = new Map<string, Deferred<string | undefined>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves to the reason for a rejection, or to `undefined`. */
  async wait(pod: PodInfo, plugin: PermitPlugin, timeoutMs: number): Promise<string | undefined> {
    const key = `${pod.uid}/${plugin.name}`;
    const decided = new Deferred<string | undefined>();
    this.#waiting.set(key, decided);
    using _timer = this.#clock.schedule(timeoutMs, () =>
      decided.resolve(`rejected due to timeout after waiting ${timeoutMs / 1000}s at plugin ${plugin.name}`),
    );
    try {
      return await decided.promise;
    } finally {
      this.#waiting.delete(key);
    }
  }

  allow(uid: string, plugin: string): void {
    this.#waiting.get(`${uid}/${plugin}`)?.resolve(undefined);
  }

  /** By whichever plugin keeps it: used when the pod is deleted or preempted. */
  reject(uid: string, reason: string): void {
    for (const [key, decided] of this.#waiting) if (key.startsWith(`${uid}/`)) decided.resolve(reason);
  }
}
