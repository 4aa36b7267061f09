/** An input that is read line by line. */
export class LineSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #rest = '';
  #ended = false;

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#chunks = input[Symbol.asyncIterator]();
  }

  /** The next line without its end; `undefined` at the end of the input. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const [line, ending] = /^([^\r\n]*)(\r\n|\n|\r(?!$))/.exec(this.#rest)?.slice(1) ?? [];
      if (line !== undefined && ending !== undefined) {
        this.#rest = this.#rest.slice(line.length + ending.length);
        return line;
      }
      if (this.#ended) {
        const last = this.#rest.replace(/\r$/, '');
        this.#rest = '';
        return last === '' ? undefined : last;
      }
      const { value, done } = await this.#chunks.next();
      if (done) this.#ended = true;
      else this.#rest += this.#decoder.decode(value, { stream: true });
    }
  }
}
