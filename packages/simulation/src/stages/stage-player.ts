import {
  type GoTemplate,
  isNotFound,
  type KubeObject,
  keyOf,
  parseYaml,
  type ResourceRef,
} from '@coracle/apimachinery';
import type { Activity, Clock, Logger, Millis, Random } from '@coracle/base';
import type { Client, EventRecorder, InformerFactory, SharedInformer } from '@coracle/client';
import { chooseStage, delayOf, matchingStages } from './choose-stage.js';
import type { Stage, StagedKind, StageStep } from './stage.js';
import { type StageWorld, stageFunctions } from './stage-functions.js';

export interface StagePlayerOptions<T extends KubeObject> {
  /** All of one kind. */
  readonly stages: readonly Stage[];
  readonly kind: StagedKind;
  readonly ref: ResourceRef<T>;
  /** The node that an object is, or that it is on. */
  nodeOf(object: T): string;
  readonly informers: InformerFactory;
  /** Must be allowed to change pods, nodes and their status. */
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly activity: Activity;
  /** Whether a node is simulated here and its machine is up. */
  isUp(nodeName: string): boolean;
  readonly world: Pick<StageWorld, 'nodeIp' | 'podIp' | 'version'>;
  /** An object is no longer there. */
  readonly onGone: (uid: string) => void;
}

/** The next stage of an object, and the version that it was chosen for. */
interface Waiting {
  readonly stage: Stage;
  readonly timer: Disposable;
}

/** Retry interval after a failure. */
const retryMs: Millis = 5_000;
/** A stage without a delay that stays the next one for an object is played at most this often. */
const leastPauseMs: Millis = 1_000;

/** Moves the objects of simulated nodes from stage to stage. */
export class StagePlayer<T extends KubeObject> implements Disposable {
  readonly #options: StagePlayerOptions<T>;
  readonly #informer: SharedInformer<T>;
  readonly #following: Disposable;
  readonly #waiting = new Map<string, Waiting>();
  /** When which stage was played last for an object. */
  readonly #last = new Map<string, { readonly stage: Stage; readonly at: Millis }>();
  readonly #startedAt: Millis;
  #ended = false;

  constructor(options: StagePlayerOptions<T>) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.#informer = options.informers.for(options.ref);
    this.#following = this.#informer.addHandler((event) => {
      if (event.type === 'deleted') this.#forget(event.object);
      else this.#consider(event.object);
    });
  }

  /** Looks again at everything of a node, which was down or out of reach. */
  resume(nodeName: string): void {
    for (const object of this.#informer.list()) if (this.#options.nodeOf(object) === nodeName) this.#consider(object);
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#following[Symbol.dispose]();
    for (const { timer } of this.#waiting.values()) timer[Symbol.dispose]();
    this.#waiting.clear();
  }

  #forget({ metadata }: T): void {
    const { uid = '' } = metadata;
    this.#waiting.get(uid)?.timer[Symbol.dispose]();
    this.#waiting.delete(uid);
    this.#last.delete(uid);
    this.#options.onGone(uid);
  }

  /** Chooses the next stage of an object. One that was chosen before stays chosen while it still fits. */
  #consider(object: T): void {
    const { stages, clock, random, isUp, nodeOf } = this.#options;
    const uid = object.metadata.uid ?? '';
    if (this.#ended || !isUp(nodeOf(object))) return;
    const matching = matchingStages(stages, object);
    const waiting = this.#waiting.get(uid);
    if (waiting && matching.includes(waiting.stage)) return;
    waiting?.timer[Symbol.dispose]();
    this.#waiting.delete(uid);
    const stage = chooseStage(matching, object, random);
    if (!stage) return;
    const delay = Math.max(delayOf(stage, object, { now: clock.now(), random }), this.#pause(uid, stage));
    const timer = clock.schedule(delay, () => {
      this.#waiting.delete(uid);
      void this.#play(object, stage);
    });
    this.#waiting.set(uid, { stage, timer });
  }

  #pause(uid: string, stage: Stage): Millis {
    const last = this.#last.get(uid);
    return last?.stage === stage ? Math.max(0, last.at + leastPauseMs - this.#options.clock.now()) : 0;
  }

  async #play(chosenFor: T, stage: Stage): Promise<void> {
    const { activity, clock, kind, logger, isUp, nodeOf } = this.#options;
    const { name, namespace, uid = '' } = chosenFor.metadata;
    const current = this.#informer.get(keyOf(chosenFor));
    if (this.#ended || current?.metadata.uid !== uid || !isUp(nodeOf(current))) return;
    using _busy = activity.begin();
    this.#last.set(uid, { stage, at: clock.now() });
    try {
      let object: T = current;
      for (const step of stage.steps) {
        const next = await this.#carryOut(object, step);
        if (!next) return;
        object = next;
      }
      const changed = object.metadata.resourceVersion !== current.metadata.resourceVersion;
      if (changed || stage.immediateNextStage) this.#consider(object);
    } catch (error) {
      if (this.#ended || isNotFound(error)) return;
      logger.error('Failed to apply a stage', { stage: stage.name, kind, namespace, name, error });
      this.#waiting.set(uid, { stage, timer: clock.schedule(retryMs, () => this.#again(current)) });
    }
  }

  #again(object: T): void {
    this.#waiting.delete(object.metadata.uid ?? '');
    const current = this.#informer.get(keyOf(object));
    if (current) this.#consider(current);
  }

  /** The object after the step; `undefined` once it is deleted. */
  async #carryOut(object: T, step: StageStep): Promise<T | undefined> {
    const { client, recorder, ref, kind } = this.#options;
    const { name = '', namespace } = object.metadata;
    const resource = client.resource(ref, namespace);
    switch (step.kind) {
      case 'event': {
        const subject = { ...object, apiVersion: 'v1', kind };
        recorder.event(subject, step.type, step.reason, this.#render(object, step.message));
        return object;
      }
      case 'finalizers': {
        const { finalizers: own = [], resourceVersion } = object.metadata;
        const left = step.empty ? [] : own.filter((one) => !step.remove.includes(one));
        const finalizers = [...new Set([...left, ...step.add])];
        if (finalizers.join() === own.join()) return object;
        return resource.patch(name, { metadata: { finalizers, resourceVersion } }, { type: 'merge' });
      }
      case 'delete':
        await resource.delete(name, { gracePeriodSeconds: 0, preconditions: { uid: object.metadata.uid ?? '' } });
        return undefined;
      case 'patch': {
        const value = parseYaml(this.#render(object, step.template));
        const body = step.root === '' ? value : { [step.root]: value };
        const options = { type: step.type, ...(step.subresource !== '' && { subresource: step.subresource }) };
        return resource.patch(name, body, options);
      }
      default:
        return step satisfies never;
    }
  }

  #render(object: T, template: GoTemplate): string {
    const { clock, world, nodeOf } = this.#options;
    const about = { ...world, now: clock.now(), startedAt: this.#startedAt, nodeName: nodeOf(object) };
    return template.execute(object, { functions: stageFunctions(about) });
  }
}
