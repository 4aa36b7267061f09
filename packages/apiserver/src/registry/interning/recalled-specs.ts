import { isRecord } from '@coracle/base';

const mostKept = 2;
/** The beginning of a spec that is not the first field of its object. */
const beginning = /,\s*"spec"\s*:/;

export interface RecalledSpec {
  /** The text without the spec: that of an object, if it can be decoded. */
  readonly rest: string;
  /** The decoded spec. Shared: do not change it. */
  readonly spec: object;
}

/**
 * Cache of the specs that clients sent recently, by their texts. A client that makes a series of objects sends the same
 * spec repeatedly: it is decoded twice at most.
 *
 * Only a spec at the end of its text is recognized, where most clients put it. `rest` is the text before it and a brace:
 * if that can be decoded as an object, everything that was opened in it is closed, so the spec is a field of the
 * outermost object.
 */
export class RecalledSpecs {
  /** The most recent one first. */
  readonly #specs: { readonly end: string; readonly spec: object }[] = [];
  /** All specs that were ever cached: objects may still have them. */
  readonly #ownSpecs = new WeakSet<object>();
  #last = '';

  find(text: string): RecalledSpec | undefined {
    for (const { end, spec } of this.#specs) {
      if (text.endsWith(end)) return { rest: `${text.slice(0, -end.length)}}`, spec };
    }
    return undefined;
  }

  has(spec: object): boolean {
    return this.#ownSpecs.has(spec);
  }

  /** Records the end of a text. True if the previous text had the same end: then its spec is worth caching. */
  isRepeated(text: string): boolean {
    const end = endOf(text);
    const isRepeated = end !== '' && end === this.#last;
    this.#last = end;
    return isRepeated;
  }

  /**
   * Caches the decoded spec of a text, which must not be changed any more; false if the text does not end with its
   * spec.
   */
  keep(text: string, spec: object): boolean {
    const end = endOf(text);
    if (!holdsSpecAlone(end)) return false;
    this.#specs.unshift({ end, spec });
    this.#ownSpecs.add(spec);
    if (this.#specs.length > mostKept) this.#specs.pop();
    return true;
  }
}

function endOf(text: string): string {
  const at = text.search(beginning);
  return at < 0 ? '' : text.slice(at);
}

/** Whether the end of a text is one field and the brace of its object. */
function holdsSpecAlone(end: string): boolean {
  try {
    const fields: unknown = JSON.parse(end.replace(',', '{'));
    return isRecord(fields) && Object.keys(fields).length === 1;
  } catch {
    return false;
  }
}
