import { formatDuration } from '@coracle/apimachinery';
import { type Clock, Deferred, type Logger, type Millis, messageOf } from '@coracle/base';
import type { PodInfo } from './cache/pod-info.js';
import type { Extender } from './extenders/extender.js';
import type { CycleState } from './framework/cycle-state.js';
import { atAsyncPoint, atPoint, type PointStatus } from './framework/measuring.js';
import type { PermitPlugin, Plugin } from './framework/plugin.js';
import { type Profile, profileIn } from './framework/profile.js';
import type { Verdict } from './framework/verdict.js';

export interface BindingInput {
  readonly profile: Profile;
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly node: string;
  readonly waiting: WaitingPods;
  readonly extenders: readonly Extender[];
  readonly logger: Logger;
  /** Nominates the node of the pod; called if binding will take some time. */
  readonly nominate?: () => Promise<void>;
}

export type BindingOutcome =
  | { readonly kind: 'bound' }
  /** A plugin rejected the pod: it is unschedulable for now. */
  | { readonly kind: 'refused'; readonly plugin: string; readonly reasons: readonly string[] }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Reserve → permit → pre-bind → bind → post-bind. Reservations are released if a later step fails. */
export async function bindPod(request: BindingInput): Promise<BindingOutcome> {
  const { state, pod, node } = request;
  const profile = profileIn(state, request.profile);
  const input = { ...request, profile };
  const undo = () =>
    atPoint(profile, 'Unreserve', () => {
      for (const plugin of [...profile.reserve].reverse()) plugin.unreserve(state, pod, node);
    });
  try {
    const refused =
      (await atAsyncPoint(profile, 'Reserve', () => reserve(input), statusOfRefusal)) ?? (await permit(input));
    if (refused) {
      undo();
      return refused;
    }
    await atAsyncPoint(profile, 'PreBind', () => preBind(input));
    await atAsyncPoint(profile, 'Bind', () => bind(input));
  } catch (error) {
    undo();
    return { kind: 'failed', error };
  }
  atPoint(profile, 'PostBind', () => {
    for (const plugin of profile.postBind) plugin.postBind(state, pod, node);
  });
  return { kind: 'bound' };
}

type Refused = Extract<BindingOutcome, { kind: 'refused' }>;

function statusOfRefusal(refused: Refused | undefined): PointStatus {
  return refused ? 'Unschedulable' : 'Success';
}

/** When this returns, plugins that need not wait have all reserved: the next pod is scheduled right after. */
async function reserve({ profile, state, pod, node }: BindingInput): Promise<Refused | undefined> {
  for (const plugin of profile.reserve) {
    let verdict: Verdict;
    try {
      const outcome = plugin.reserve(state, pod, node);
      verdict = outcome instanceof Promise ? await outcome : outcome;
    } catch (error) {
      throw failedAt('Reserve', plugin, error);
    }
    if (verdict.kind !== 'fits') return { kind: 'refused', plugin: plugin.name, reasons: verdict.reasons };
  }
  return undefined;
}

async function preBind({ profile, state, pod, node }: BindingInput): Promise<void> {
  for (const plugin of profile.preBind) await running('PreBind', plugin, () => plugin.preBind(state, pod, node));
}

async function bind(input: BindingInput): Promise<void> {
  const { profile, state, pod, node } = input;
  if (await bindByExtender(input)) return;
  for (const plugin of profile.bind)
    if ((await running('Bind', plugin, () => plugin.bind(state, pod, node))) === 'bound') return;
  throw new Error(`no plugin bound the pod ${pod.key}`);
}

/** The first extender that binds replaces the bind plugins. Returns whether there was one. */
async function bindByExtender({ extenders, logger, pod, node }: BindingInput): Promise<boolean> {
  for (const extender of extenders) {
    if (!extender.bind || !extender.isInterested(pod.pod)) continue;
    try {
      await extender.bind(pod, node);
      return true;
    } catch (error) {
      if (!extender.isIgnorable) throw error;
      logger.info('an extender that may be ignored did not bind', { extender: extender.name, error });
    }
  }
  return false;
}

/** Calls every Permit plugin first; the pod waits until all that returned Wait have allowed it. */
async function permit(input: BindingInput): Promise<Refused | undefined> {
  const { profile, state, pod, waiting } = input;
  const permission = await atAsyncPoint(profile, 'Permit', () => askPermit(input), statusOfPermit);
  if (!Array.isArray(permission)) return permission;
  // Before anything is awaited, so that permissions given meanwhile count.
  const decided = permission.length > 0 ? waiting.waitForAll(pod, permission) : undefined;
  if (decided || hasPreBindWork(input)) await input.nominate?.();
  if (!decided) return undefined;
  const first = await state.resting(decided);
  return first && { kind: 'refused', plugin: first.plugin, reasons: [first.reason] };
}

interface PermitWait {
  readonly plugin: PermitPlugin;
  readonly timeoutMs: Millis;
}

/** The plugins that the pod has to wait for, or the rejection. */
async function askPermit({ profile, state, pod, node }: BindingInput): Promise<PermitWait[] | Refused> {
  const waits: PermitWait[] = [];
  for (const plugin of profile.permit) {
    const permission = await running('Permit', plugin, async () => plugin.permit(state, pod, node));
    if (permission.kind === 'reject') return { kind: 'refused', plugin: plugin.name, reasons: [permission.reason] };
    if (permission.kind === 'wait') waits.push({ plugin, timeoutMs: permission.timeoutMs });
  }
  return waits;
}

function statusOfPermit(permission: readonly PermitWait[] | Refused): PointStatus {
  if ('kind' in permission) return 'Unschedulable';
  return permission.length > 0 ? 'Wait' : 'Success';
}

function hasPreBindWork({ profile, state, pod, node }: BindingInput): boolean {
  return profile.preBind.some((plugin) => plugin.hasPreBindWork?.(state, pod, node) ?? true);
}

/** The failure of a plugin, prefixed with the plugin's name. The original error is the cause. */
async function running<T>(point: string, plugin: Plugin, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw failedAt(point, plugin, error);
  }
}

function failedAt(point: string, { name }: Plugin, error: unknown): Error {
  return new Error(`running ${point} plugin "${name}": ${messageOf(error)}`, { cause: error });
}

/** Maximum wait that a plugin may request. */
const longestWaitMs = 15 * 60_000;

/** Pods that permit plugins keep waiting, until they are allowed or rejected, or time out. */
export class WaitingPods {
  readonly #clock: Clock;
  /** `uid/plugin` → ends the waiting: without a reason the pod is allowed. */
  readonly #waiting = new Map<string, Deferred<string | undefined>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves to the first rejection, or to `undefined` when all have allowed it. Either ends all waiting. */
  async waitForAll(
    pod: PodInfo,
    waits: readonly PermitWait[],
  ): Promise<{ readonly plugin: string; readonly reason: string } | undefined> {
    const rejected = new Deferred<{ plugin: string; reason: string }>();
    const all = waits.map(async ({ plugin, timeoutMs }) => {
      const reason = await this.#wait(pod, plugin, Math.min(timeoutMs, longestWaitMs));
      if (reason !== undefined) rejected.resolve({ plugin: plugin.name, reason });
      return reason;
    });
    const allowed = Promise.all(all).then((reasons) =>
      reasons.some((one) => one !== undefined) ? rejected.promise : undefined,
    );
    const outcome = await Promise.race([rejected.promise, allowed]);
    if (outcome) this.reject(pod.uid, outcome.reason);
    return outcome;
  }

  async #wait(pod: PodInfo, plugin: PermitPlugin, timeoutMs: Millis): Promise<string | undefined> {
    const key = `${pod.uid}/${plugin.name}`;
    const decided = new Deferred<string | undefined>();
    this.#waiting.set(key, decided);
    using _timer = this.#clock.schedule(timeoutMs, () =>
      decided.resolve(`rejected due to timeout after waiting ${formatDuration(timeoutMs)} at plugin ${plugin.name}`),
    );
    try {
      return await decided.promise;
    } finally {
      this.#waiting.delete(key);
    }
  }

  has(uid: string): boolean {
    return [...this.#waiting.keys()].some((key) => key.startsWith(`${uid}/`));
  }

  allow(uid: string, plugin: string): void {
    this.#waiting.get(`${uid}/${plugin}`)?.resolve(undefined);
  }

  /** Rejects the pod whatever plugin keeps it waiting: called when it is deleted or preempted. */
  reject(uid: string, reason: string): void {
    for (const [key, decided] of this.#waiting) if (key.startsWith(`${uid}/`)) decided.resolve(reason);
  }
}
