import { isRecord } from '@coracle/base';

const mostKept = 2;
/** How a spec begins that is not the first field of its object. */
const beginning = /,\s*"spec"\s*:/;

export interface RecalledSpec {
  /** The text without the spec: that of an object, if it can be read. */
  readonly rest: string;
  /** What the spec came to. Shared: never to be changed. */
  readonly spec: object;
}

/**
 * The specs that clients sent lately, by their texts. A client that makes a series of objects sends the same spec over
 * and over: it is enough to read it twice.
 *
 * Only a spec that is the end of its text is recognised, as most clients send it. `rest` is what comes before it and a
 * brace: if that can be read as an object, then all that was opened in it is closed again, so that the spec is a field
 * of the outermost object.
 */
export class RecalledSpecs {
  /** The last one first. */
  readonly #specs: { readonly end: string; readonly spec: object }[] = [];
  /** All specs that were ever recalled: objects may still have them. */
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

  /** Notes how the text ends. True if the one before it ended the same: then its spec is worth keeping. */
  isRepeated(text: string): boolean {
    const end = endOf(text);
    const isRepeated = end !== '' && end === this.#last;
    this.#last = end;
    return isRepeated;
  }

  /**
   * Keeps the decoded spec of a text, which must not be changed any more; false if the text does not end with its spec.
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
