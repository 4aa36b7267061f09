import { type NamedDevice, type Pod, refs, type resourcev1beta2, selectsDevice } from '@coracle/api';
import { formatTime, keyOf, type ObjectKey, parseTime, type ResourceRef } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { SharedInformer } from '@coracle/client';
import { type ControllerContext, type KeyQueue, type RunningController, runKeyed } from '../controller.js';
import { saveStatus } from '../save-status.js';
import { whenServed } from '../when-served.js';
import type { DeviceEviction, TrackedTaint } from './plan-device-eviction.js';
import { conditionType, planRuleCondition, type RuleEffects } from './plan-rule-condition.js';

type Rule = resourcev1beta2.DeviceTaintRule;

/** Minimum interval between two status updates of a rule. */
const statusPeriodMs: Millis = 10_000;

export interface RuleHost {
  /** The pods that use devices of a rule have to be evaluated again. */
  readonly onChange: (selects: (device: NamedDevice) => boolean) => void;
  /** When a pod has to be evicted because of these rules and the taints of drivers. */
  readonly evictionOf: (pod: Pod, rules: readonly Rule[]) => DeviceEviction | undefined;
}

/** The DeviceTaintRules of the cluster, once they are served, and their status. */
export class DeviceTaintRules {
  readonly #context: ControllerContext;
  readonly #host: RuleHost;
  /** By uid of the rule: pods that it has evicted. */
  readonly #evicted = new Map<string, number>();
  #informer: SharedInformer<Rule> | undefined;
  #queue: KeyQueue | undefined;

  constructor(context: ControllerContext, host: RuleHost) {
    this.#context = context;
    this.#host = host;
  }

  start(): RunningController {
    const versions = [refs.deviceTaintRulesV1beta2, refs.deviceTaintRules];
    const controller = whenServed<Rule>({
      name: 'device-taint-eviction-controller',
      versions,
      start: (context, ref) => this.#run(context, ref),
    });
    return controller.start(this.#context);
  }

  list(): readonly Rule[] {
    return this.#informer?.list() ?? [];
  }

  /** Schedules a status update of these rules, because a pod waits for its eviction. */
  pending(uids: ReadonlySet<string>): void {
    for (const rule of this.list()) if (uids.has(uidOf(rule))) this.#queue?.add(keyOf(rule));
  }

  evicted(uids: ReadonlySet<string>): void {
    for (const uid of uids) this.#evicted.set(uid, (this.#evicted.get(uid) ?? 0) + 1);
    for (const rule of this.list()) if (uids.has(uidOf(rule))) this.#queue?.addAfter(keyOf(rule), statusPeriodMs);
  }

  #run(context: ControllerContext, ref: ResourceRef<Rule>): RunningController {
    const informer = context.informers.for(ref);
    this.#informer = informer;
    return runKeyed(context, {
      name: 'device_taint_rule_status',
      workers: 1,
      watch: (queue) => {
        this.#queue = queue;
        return [
          informer.addHandler((event) => {
            const { type, object } = event;
            const previous = type === 'updated' ? event.previous : undefined;
            if (previous?.metadata.generation === object.metadata.generation) return;
            this.#host.onChange((device) =>
              [object, ...(previous ? [previous] : [])].some((rule) => selectsDevice(rule, device)),
            );
            if (type === 'deleted') this.#evicted.delete(uidOf(object));
            else queue.add(keyOf(object));
          }),
        ];
      },
      reconcile: (key) => this.#syncStatus(key, ref),
    });
  }

  async #syncStatus(key: ObjectKey, ref: ResourceRef<Rule>): Promise<{ requeueAfterMs: number } | undefined> {
    const rule = this.#informer?.get(key);
    if (!rule) return undefined;
    const { clock } = this.#context;
    const { generation } = rule.metadata;
    const { conditions = [] } = rule.status ?? {};
    const current = conditions.find(({ type }) => type === conditionType);
    if (current && current.observedGeneration === generation) {
      const age = clock.now() - (parseTime(current.lastTransitionTime) ?? 0);
      if (age < statusPeriodMs) return { requeueAfterMs: statusPeriodMs - age };
    }
    const planned = planRuleCondition(rule, this.#effectsOf(rule));
    const isSame =
      current?.observedGeneration === generation &&
      current?.status === planned.status &&
      current.reason === planned.reason &&
      current.message === planned.message;
    if (isSame) return undefined;
    const observed = generation !== undefined && { observedGeneration: generation };
    const condition = { ...planned, ...observed, lastTransitionTime: formatTime(clock.now()) };
    const others = conditions.filter(({ type }) => type !== conditionType);
    await saveStatus(this.#context, ref, {
      object: rule,
      status: { ...rule.status, conditions: [...others, condition] },
    });
    return undefined;
  }

  /** With effect None, pods are counted as if the rule evicted them. */
  #effectsOf(rule: Rule): RuleEffects {
    const { informers } = this.#context;
    const isSimulated = rule.spec.taint.effect === 'None';
    const asEvicting: Rule = { ...rule, spec: { ...rule.spec, taint: { ...rule.spec.taint, effect: 'NoExecute' } } };
    const mayEvict = isSimulated || rule.spec.taint.effect === 'NoExecute';
    const pods = (mayEvict ? informers.for(refs.pods).list() : []).filter(
      (pod) => !pod.metadata.deletionTimestamp && this.#host.evictionOf(pod, [asEvicting])?.rules.has(uidOf(rule)),
    );
    const selected = (devices: readonly NamedDevice[]) =>
      devices.filter((device) => selectsDevice(rule, device)).length;
    return {
      pods: pods.length,
      namespaces: new Set(pods.map(({ metadata }) => metadata.namespace)).size,
      published: isSimulated ? selected(this.#publishedDevices()) : 0,
      allocated: isSimulated ? selected(this.#allocatedDevices()) : 0,
      evicted: this.#evicted.get(uidOf(rule)) ?? 0,
    };
  }

  #publishedDevices(): NamedDevice[] {
    return this.#context.informers
      .for(refs.resourceSlices)
      .list()
      .flatMap(({ spec: { driver, pool, devices = [] } }) =>
        devices.map(({ name }) => ({ driver, pool: pool.name, device: name })),
      );
  }

  #allocatedDevices(): readonly NamedDevice[] {
    return this.#context.informers
      .for(refs.resourceClaims)
      .list()
      .flatMap(({ status }) => status?.allocation?.devices?.results ?? []);
  }
}

/** The taints that rules put on a device. */
export function taintsOfRules(rules: readonly Rule[], device: NamedDevice): TrackedTaint[] {
  return rules
    .filter((rule) => selectsDevice(rule, device))
    .map((rule) => ({ taint: rule.spec.taint, rule: uidOf(rule) }));
}

function uidOf({ metadata }: Rule): string {
  return metadata.uid ?? '';
}
