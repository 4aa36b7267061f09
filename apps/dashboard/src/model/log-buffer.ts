export interface LogLine {
  readonly number: number;
  /** Which pod and container. */
  readonly source: string;
  readonly time: string;
  readonly text: string;
}

const mostLines = 20_000;
/** Programs colour their lines for terminals; here they are text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are meant.
const escapes = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** Lines of several containers in the order in which they came; the oldest go when there are too many. */
export class LogBuffer {
  #lines: LogLine[] = [];
  #next = 1;

  /** `line` begins with its time, as servers send it with `timestamps=true`. */
  push(source: string, line: string): void {
    const space = line.indexOf(' ');
    const time = line.slice(0, space);
    const stamped = /^\d{4}-\d\d-\d\dT/.test(time);
    const text = (stamped ? line.slice(space + 1) : line).replace(escapes, '');
    this.#lines.push({ number: this.#next++, source, time: stamped ? time : '', text });
    if (this.#lines.length > mostLines * 1.1) this.#lines = this.#lines.slice(-mostLines);
  }

  get size(): number {
    return this.#lines.length;
  }

  /** Those that hold the text, in any case of letters. */
  matching(search: string): readonly LogLine[] {
    const term = search.toLowerCase();
    return term === '' ? [...this.#lines] : this.#lines.filter(({ text }) => text.toLowerCase().includes(term));
  }
}

/** The text cut where the search is found, so that it can be marked without becoming anything but text. */
export function partsAround(text: string, search: string): { readonly text: string; readonly isMatch: boolean }[] {
  if (search === '') return [{ text, isMatch: false }];
  const [lower, term] = [text.toLowerCase(), search.toLowerCase()];
  const parts: { text: string; isMatch: boolean }[] = [];
  let at = 0;
  for (let found = lower.indexOf(term); found >= 0; found = lower.indexOf(term, at)) {
    if (found > at) parts.push({ text: text.slice(at, found), isMatch: false });
    parts.push({ text: text.slice(found, found + term.length), isMatch: true });
    at = found + term.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), isMatch: false });
  return parts;
}
