import { badRequest } from './status-error.js';

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Conditions on the fields of an object, all of which must hold: `status.phase=Running,spec.nodeName!=a`. Immutable. */
export class FieldSelector {
  readonly requirements: readonly FieldRequirement[];

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  static readonly everything: FieldSelector = new FieldSelector([]);

  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  /** A field that is not there counts as empty. */
  matches(fields: Readonly<Record<string, string>>): boolean {
    return this.requirements.every(
      ({ field, operator, value }) =>
        ((Object.hasOwn(fields, field) ? fields[field] : '') === value) === (operator === '='),
    );
  }

  /** The value that one requirement sets for `field`, if any. */
  requiredValue(field: string): string | undefined {
    return this.requirements.find((one) => one.field === field && one.operator === '=')?.value;
  }

  toString(): string {
    return this.requirements.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(',');
  }
}

/** Reads a field selector. Commas, equals signs and backslashes in values are escaped with a backslash. */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).filter((term) => term !== '');
  return new FieldSelector(terms.map((term) => parseTerm(term, text)));
}

function parseTerm(term: string, text: string): FieldRequirement {
  for (let i = 0; i < term.length; i++) {
    if (term[i] === '\\') {
      i++;
      continue;
    }
    const operator = term.startsWith('!=', i)
      ? '!='
      : term.startsWith('==', i)
        ? '=='
        : term[i] === '='
          ? '='
          : undefined;
    if (!operator) continue;
    const value = unescapeValue(term.slice(i + operator.length));
    return { field: term.slice(0, i), operator: operator === '!=' ? '!=' : '=', value };
  }
  throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function escapeValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

function unescapeValue(value: string): string {
  const bad = /(?<!\\)(?:\\\\)*(\\(?:[^\\,=]|$)|[,=])/.exec(value);
  if (bad?.[1]?.startsWith('\\')) throw badRequest(`invalid field selector: invalid escape sequence: ${bad[1]}`);
  if (bad) throw badRequest(`invalid field selector: unescaped character in value: ${bad[1]}`);
  return value.replace(/\\([\\,=])/g, '$1');
}
