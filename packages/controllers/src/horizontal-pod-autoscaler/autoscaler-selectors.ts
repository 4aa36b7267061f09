import type { Pod } from '@coracle/api';
import { type LabelSelector, type ObjectKey, splitObjectKey } from '@coracle/apimachinery';

/**
 * Finds autoscalers by the pods that the scales of their targets select. Two that scale the same pods would revert each
 * other's changes. Selectors are indexed by one label that they require, so a pod is not matched with all of them.
 */
export class AutoscalerSelectors {
  readonly #selectors = new Map<ObjectKey, LabelSelector>();
  readonly #byLabel = new Map<string, Set<ObjectKey>>();

  set(key: ObjectKey, selector: LabelSelector): void {
    const before = this.#selectors.get(key);
    if (before && String(before) === String(selector)) return;
    this.forget(key);
    this.#selectors.set(key, selector);
    const index = indexOf(key, selector);
    this.#byLabel.set(index, (this.#byLabel.get(index) ?? new Set()).add(key));
  }

  forget(key: ObjectKey): void {
    const selector = this.#selectors.get(key);
    if (!selector || !this.#selectors.delete(key)) return;
    const index = indexOf(key, selector);
    const others = this.#byLabel.get(index);
    others?.delete(key);
    if (others?.size === 0) this.#byLabel.delete(index);
  }

  /** The autoscalers of one namespace that select one of its pods, in order. */
  selecting(namespace: string, pods: readonly Pod[]): ObjectKey[] {
    const found = new Set<ObjectKey>();
    for (const { metadata } of pods) {
      const { labels = {} } = metadata;
      const indexes = Object.entries(labels).map(([name, value]) => indexText(namespace, name, value));
      for (const index of [...indexes, anyLabel(namespace)])
        for (const key of this.#byLabel.get(index) ?? [])
          if (!found.has(key) && this.#selectors.get(key)?.matches(labels)) found.add(key);
    }
    return [...found].sort();
  }
}

function indexOf(key: ObjectKey, { requirements }: LabelSelector): string {
  const { namespace } = splitObjectKey(key);
  const first = requirements.find(({ operator, values }) => operator === '=' && values.length === 1);
  return first ? indexText(namespace, first.key, first.values[0] ?? '') : anyLabel(namespace);
}

function indexText(namespace: string, name: string, value: string): string {
  return `${namespace}/${name}=${value}`;
}

/** Selectors that require no label to have one certain value. */
function anyLabel(namespace: string): string {
  return `${namespace}/`;
}
