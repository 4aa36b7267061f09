import { formatFieldError, invalidField } from './field-error.js';
import { checkRequirement, type LabelOperator, type LabelRequirement, LabelSelector } from './label-selector.js';
import { isQualifiedName } from './names.js';
import { aggregate, badRequest } from './status-error.js';

/**
 * Parses the text form of label selectors: `a=b,c!=d,e in (f,g),h,!i,j>3`. Throws a `StatusError` with the server's
 * message.
 */
export function parseLabelSelector(text: string): LabelSelector {
  const parser = new Parser(tokenize(text));
  return LabelSelector.of(parser.parse());
}

interface Token {
  readonly kind: 'symbol' | 'word' | 'end';
  readonly text: string;
}

const end: Token = { kind: 'end', text: '' };
const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [token] of text.matchAll(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g))
    tokens.push({ kind: /^[=!(),<>]/.test(token) ? 'symbol' : 'word', text: token });
  return tokens;
}

/** A word that is an operator's name is still a word where a value is expected. */
class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    while (this.#peek().kind !== 'end') {
      if (!this.#atRequirement()) throw refuse(this.#peek(), "!, identifier, or 'end of string'");
      requirements.push(this.#requirement());
      const separator = this.#take();
      if (separator.kind === 'end') break;
      if (separator.text !== ',') throw refuse(separator, "',' or 'end of string'");
      if (!this.#atRequirement()) throw refuse(this.#peek(), "identifier after ','");
    }
    return requirements;
  }

  #requirement(): LabelRequirement {
    const negated = this.#peek().text === '!';
    if (negated) this.#take();
    const key = this.#take();
    if (key.kind !== 'word') throw refuseRequirement(key, 'identifier');
    checkKey(key.text);
    const last = this.#peek();
    if (negated || last.kind === 'end' || last.text === ',')
      return checked({ key: key.text, operator: negated ? '!' : 'exists', values: [] });
    const operator = operators.get(last.text);
    if (!operator) throw refuseRequirement(last, 'in, notin, =, ==, !=, gt, lt');
    this.#take();
    const values = operator === 'in' || operator === 'notin' ? this.#set() : [this.#value()];
    return checked({ key: key.text, operator, values: [...new Set(values)].sort() });
  }

  #value(): string {
    const next = this.#peek();
    if (next.kind === 'end' || next.text === ',') return '';
    if (next.kind !== 'word') throw refuseRequirement(next, 'identifier');
    return this.#take().text;
  }

  /** `(a,b)`. Between, before and after commas a value may be left out, and is then empty. */
  #set(): string[] {
    const open = this.#take();
    if (open.text !== '(') throw badRequest(`unable to parse requirement: found '${open.text}' expected: '('`);
    if (this.#peek().text === ')') {
      this.#take();
      return [];
    }
    const values: string[] = [];
    for (;;) {
      values.push(this.#peek().kind === 'word' ? this.#take().text : '');
      const separator = this.#take();
      if (separator.text === ')') return values;
      if (separator.text !== ',') throw refuseRequirement(separator, "',' or ')'");
    }
  }

  #atRequirement(): boolean {
    const { kind, text } = this.#peek();
    return kind === 'word' || text === '!';
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? end;
  }

  #take(): Token {
    return this.#tokens[this.#next++] ?? end;
  }
}

function checkKey(key: string): void {
  const problems = isQualifiedName(key).map((problem) => formatFieldError(invalidField('<nil>', key, problem)));
  if (problems.length > 0) throw badRequest(`unable to parse requirement: ${aggregate(problems)}`);
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const problem = checkRequirement(requirement);
  if (problem) throw badRequest(`unable to parse requirement: ${problem}`);
  return requirement;
}

function refuse(token: Token, expected: string): Error {
  return badRequest(`found '${token.text}', expected: ${expected}`);
}

function refuseRequirement(token: Token, expected: string): Error {
  return badRequest(`unable to parse requirement: found '${token.text}', expected: ${expected}`);
}
