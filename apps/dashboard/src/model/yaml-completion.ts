import { yamlPathAt } from './yaml-path.js';

/** What is being written at the caret: the name of a field, or the value of one. */
export interface YamlPosition {
  readonly writes: 'field' | 'value';
  /** The field that the name is in, or whose value it is. */
  readonly path: readonly string[];
  /** What is there already, and where it begins in the text. */
  readonly prefix: string;
  readonly from: number;
  readonly indent: number;
  /** Whether a dash precedes it: an item of a list. */
  readonly isItem: boolean;
  /** Fields beside it that are there already. */
  readonly beside: ReadonlySet<string>;
}

/** The position of the caret; undefined where nothing can be completed: in a comment, or behind a value. */
export function yamlPositionAt(text: string, caret: number): YamlPosition | undefined {
  const start = text.lastIndexOf('\n', caret - 1) + 1;
  const before = text.slice(start, caret);
  // Only at the end of what is written: a word is not completed in its middle.
  if (/^[\w./-]/.test(text.slice(caret))) return undefined;
  const line = text.slice(0, start).split('\n').length - 1;
  const field = /^(\s*(?:- +)*)([\w./-]*)$/.exec(before);
  if (field) {
    const [, lead = '', prefix = ''] = field;
    return {
      writes: 'field',
      path: parentsOf(text, line, lead.length),
      prefix,
      from: caret - prefix.length,
      indent: lead.length,
      isItem: lead.includes('-'),
      beside: besideOf(text.split('\n'), line, lead.length),
    };
  }
  const value = /^\s*(?:- +)*"?[\w./-]+"?: +(\w*)$/.exec(before);
  if (!value) return undefined;
  const prefix = value[1] ?? '';
  const path = yamlPathAt(text, line);
  return { writes: 'value', path, prefix, from: caret - prefix.length, indent: 0, isItem: false, beside: new Set() };
}

/** The fields that a line of this depth is in. */
function parentsOf(text: string, line: number, indent: number): string[] {
  const above = text.split('\n').slice(0, line);
  return yamlPathAt([...above, `${' '.repeat(indent)}_:`].join('\n'), line).slice(0, -1);
}

/** The fields of the same object, above and below a line; those of other items of a list are not among them. */
function besideOf(lines: readonly string[], line: number, indent: number): Set<string> {
  const names = new Set<string>();
  const isOutside = (text: string) => /^---(?:\s|$)/.test(text) || (text.trim() !== '' && text.search(/\S/) < indent);
  const add = (text: string) => {
    const match = /^([\s-]*)"?([\w./-]+)"?:(?:\s|$)/.exec(text);
    if (match?.[2] && match[1]?.length === indent) names.add(match[2]);
  };
  if (!isItemStart(lines[line] ?? '', indent))
    for (let at = line - 1; at >= 0; at--) {
      const text = lines[at] ?? '';
      if (isItemStart(text, indent)) {
        add(text);
        break;
      }
      if (isOutside(text)) break;
      add(text);
    }
  for (let at = line + 1; at < lines.length; at++) {
    const text = lines[at] ?? '';
    if (isOutside(text)) break;
    add(text);
  }
  return names;
}

function isItemStart(text: string, indent: number): boolean {
  const lead = /^\s*(?:- +)+/.exec(text)?.[0];
  return lead !== undefined && lead.length === indent;
}

/** The part of a field's schema that completion needs. */
export interface CompletedField {
  readonly type: string;
  readonly enum: readonly string[];
  readonly fields: readonly { readonly name: string; readonly type: string; readonly isRequired: boolean }[];
}

/** Something that can be written at the caret. */
export interface Suggestion {
  readonly name: string;
  /** Shown beside it: a type. */
  readonly detail: string;
  readonly isRequired: boolean;
  /** What replaces the prefix. */
  readonly insert: string;
}

const mostSuggestions = 60;

/** What the schema allows there: those that begin with what is written first, then those that hold it. */
export function suggestionsAt(position: YamlPosition, field: CompletedField | undefined): Suggestion[] {
  if (!field) return [];
  const { writes, prefix, isItem } = position;
  const isScalarItem = writes === 'field' && field.fields.length === 0;
  if (isScalarItem && !isItem) return [];
  const all = writes === 'field' && !isScalarItem ? fieldsOf(position, field) : valuesOf(field);
  const text = prefix.toLowerCase();
  const ranked = (rank: (name: string) => boolean) => all.filter(({ name }) => rank(name.toLowerCase()));
  const begin = ranked((name) => name.startsWith(text));
  const hold = ranked((name) => !name.startsWith(text) && name.includes(text));
  const found = [...begin, ...hold];
  // What is written in full needs no help.
  return found.length === 1 && found[0]?.name === prefix ? [] : found.slice(0, mostSuggestions);
}

function fieldsOf({ beside, indent }: YamlPosition, { fields }: CompletedField): Suggestion[] {
  return fields
    .filter(({ name }) => !beside.has(name))
    .map(({ name, type, isRequired }) => ({ name, detail: type, isRequired, insert: name + tailOf(type, indent) }))
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired) || (a.name < b.name ? -1 : 1));
}

/** What follows the name of a field: a value in the same line, or a new line for what is inside. */
function tailOf(type: string, indent: number): string {
  const inside = `\n${' '.repeat(indent)}`;
  if (type.startsWith('[]')) return `:${inside}- `;
  return type === 'object' || type.startsWith('map[') ? `:${inside}  ` : ': ';
}

function valuesOf({ enum: values, type }: CompletedField): Suggestion[] {
  const all = type === 'boolean' ? ['true', 'false'] : values;
  return all.map((name) => ({ name, detail: '', isRequired: false, insert: name }));
}

/** What a new line begins with: the depth of the line before, and more after a field without a value. */
export function indentAfter(text: string, caret: number): string {
  const line = text.slice(text.lastIndexOf('\n', caret - 1) + 1, caret);
  const lead = /^\s*(?:- +)*/.exec(line)?.[0] ?? '';
  const deeper = /:\s*$/.test(line) ? '  ' : '';
  return ' '.repeat(lead.length) + deeper;
}
