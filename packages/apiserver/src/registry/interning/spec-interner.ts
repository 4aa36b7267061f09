import type { KindRules } from '@coracle/api';
import { type FieldError, type KubeObject, neverChanges } from '@coracle/apimachinery';
import { deepCopy } from '@coracle/base';
import { type RecalledSpec, RecalledSpecs } from './recalled-specs.js';
import { RecentSpecs } from './recent-specs.js';
import { VerdictMemory } from './verdict-memory.js';

type Specified = KubeObject & { spec?: object };

/**
 * Sharing of specs by identity between the objects of one stored resource (decision 13), and everything that is
 * cached by the identity of a spec. No other code compares specs by identity or caches verdicts on them.
 *
 * The steps of a spec: `recall` or decoding gives it to a new object; `makeOwn` before admission, which may change it;
 * `intern` after that; validation; `add` when the object has been stored.
 */
export interface SpecInterner {
  /** The cached spec for the text of a body. Shared: do not change it. */
  recall(text: string): RecalledSpec | undefined;
  /** Adds the decoded spec, with its defaults, for the text of a body. */
  learn(text: string, object: KubeObject): void;
  /** An unchanged field for the next version of an object: a copy, except for the spec, see `makeOwn`. */
  takeOver(name: string, value: unknown): unknown;
  /** Whether two objects have the identical spec. */
  areSame(object: KubeObject, other: KubeObject): boolean;
  /** Gives the object a copy of its spec if that is also the spec of `previous`, or a recalled one. */
  makeOwn(object: KubeObject, previous?: KubeObject): void;
  /**
   * Replaces the spec of the object with an equal one of an object that was created recently. From now on it must not
   * change.
   */
  intern(object: KubeObject): void;
  /** Adds the spec of an object that has been created. */
  add(object: KubeObject): void;
  /** The field errors of `rules.content`; an empty result is cached. `undefined` for kinds without such rules. */
  contentErrors(object: KubeObject, rules: KindRules<KubeObject>): readonly FieldError[] | undefined;
  /** The warnings of `rules.warnings` for a new object; an empty result is cached. */
  warnings(object: KubeObject, rules: KindRules<KubeObject>): readonly string[];
}

export class SharedSpecs implements SpecInterner {
  readonly #onShare: ((spec: object) => void) | undefined;
  readonly #recalled = new RecalledSpecs();
  readonly #recent = new RecentSpecs();
  readonly #verdicts = new VerdictMemory();

  /** `onShare` is called with each recalled spec before objects get it. */
  constructor(onShare?: (spec: object) => void) {
    this.#onShare = onShare;
  }

  recall(text: string): RecalledSpec | undefined {
    return this.#recalled.find(text);
  }

  learn(text: string, { spec }: Specified): void {
    if (!spec || !this.#recalled.isRepeated(text)) return;
    const ownSpec = deepCopy(spec);
    if (!this.#recalled.keep(text, ownSpec)) return;
    neverChanges(ownSpec);
    this.#onShare?.(ownSpec);
  }

  takeOver(name: string, value: unknown): unknown {
    return name === 'spec' ? value : deepCopy(value);
  }

  areSame({ spec }: Specified, other: Specified): boolean {
    return spec !== undefined && spec === other.spec;
  }

  makeOwn(object: Specified, previous?: Specified): void {
    const { spec } = object;
    if (spec === undefined) return;
    if (spec === previous?.spec || this.#recalled.has(spec)) object.spec = deepCopy(spec);
  }

  intern(object: KubeObject): void {
    this.#recent.share(object);
  }

  add(object: KubeObject): void {
    this.#recent.add(object);
  }

  contentErrors(object: KubeObject, { content }: KindRules<KubeObject>): readonly FieldError[] | undefined {
    return content && this.#verdicts.errors(object, content);
  }

  warnings(object: KubeObject, rules: KindRules<KubeObject>): readonly string[] {
    return this.#verdicts.warnings(object, rules);
  }
}
