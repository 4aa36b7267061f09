import type { ContentRules, KindRules } from '@coracle/api';
import type { FieldError, KubeObject, ObjectMeta } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';

const nothing: readonly never[] = [];

/**
 * Cache of valid specs, with the metadata with which they were last validated. A validated spec does not change any
 * more, and pods of a template share theirs.
 */
export class VerdictMemory {
  readonly #valid = new WeakMap<object, ObjectMeta>();
  readonly #unwarned = new WeakMap<object, ObjectMeta>();

  errors(object: KubeObject, rules: ContentRules<KubeObject>): readonly FieldError[] {
    return remembered(this.#valid, { object, rules, find: () => rules.validate(object) });
  }

  warnings(object: KubeObject, { content, warnings }: KindRules<KubeObject>): readonly string[] {
    if (!warnings) return nothing;
    if (!content) return warnings(object);
    return remembered(this.#unwarned, { object, rules: content, find: () => warnings(object) });
  }
}

interface Question<T> {
  readonly object: KubeObject;
  readonly rules: ContentRules<KubeObject>;
  find(): readonly T[];
}

function remembered<T>(memory: WeakMap<object, ObjectMeta>, { object, rules, find }: Question<T>): readonly T[] {
  const { spec } = object as { spec?: unknown };
  if (!isRecord(spec)) return find();
  const metadata = memory.get(spec);
  if (metadata && rules.readsSame(object, metadata)) return nothing;
  const found = find();
  if (found.length === 0) memory.set(spec, object.metadata);
  return found;
}
