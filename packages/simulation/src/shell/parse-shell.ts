import {
  type Branch,
  type Command,
  literalOf,
  type Redirection,
  type Script,
  type ScriptStep,
  type Stage,
  type Word,
} from './script.js';
import { ShellSyntaxError, WordReader } from './word-reader.js';

/** A script of the POSIX shell. Throws a ShellSyntaxError for one with here-documents or other unsupported syntax. */
export function parseShell(text: string): Script {
  return parseUntil(new WordReader(text, parseUntil), '');
}

/** Reads steps to the end of the text, or to the operator or one of the reserved words that end them, and over it. */
function parseUntil(reader: WordReader, end: string): Script {
  const { script } = stepsUntil(reader, [end]);
  return script;
}

function stepsUntil(reader: WordReader, ends: readonly string[]): { script: Script; end: string } {
  const script: ScriptStep[] = [];
  let runs: ScriptStep['runs'] = 'always';
  for (;;) {
    reader.skipBlanks(true);
    const end = takeEnd(reader, ends);
    if (end !== undefined) return { script, end };
    const { negated, stages } = pipeline(reader);
    const next = separator(reader);
    script.push({ runs, negated, stages, background: next === '&' });
    runs = next === '&&' ? 'on-success' : next === '||' ? 'on-failure' : 'always';
  }
}

/** What ends a list of steps; the empty text is the end of the script. */
function takeEnd(reader: WordReader, ends: readonly string[]): string | undefined {
  if (reader.ended) {
    if (ends.includes('')) return '';
    throw new ShellSyntaxError(`${ends.join(' or ')} expected`);
  }
  return ends.find(
    (end) => end !== '' && (/\w/.test(end) || end === '}' ? takeReserved(reader, end) : reader.take(end)),
  );
}

function separator(reader: WordReader): string {
  reader.skipBlanks();
  if (reader.peek(';;')) return ';';
  return ['&&', '||', '&', ';', '\n'].find((operator) => reader.take(operator)) ?? '';
}

function takeReserved(reader: WordReader, name: string): boolean {
  const start = reader.at;
  if (literalOf(reader.word()) === name && reader.text.slice(start, reader.at) === name) return true;
  reader.at = start;
  return false;
}

function pipeline(reader: WordReader): { negated: boolean; stages: Stage[] } {
  const negated = takeReserved(reader, '!');
  const stages: Stage[] = [];
  do {
    reader.skipBlanks(stages.length > 0 || negated);
    stages.push(stage(reader));
    reader.skipBlanks();
  } while (!reader.peek('||') && reader.take('|'));
  return { negated, stages };
}

function stage(reader: WordReader): Stage {
  const redirections: Redirection[] = [];
  const command = compound(reader) ?? simple(reader, redirections);
  while (command.kind !== 'simple' && takeRedirection(reader, redirections));
  return { ...command, redirections };
}

function compound(reader: WordReader): Command | undefined {
  if (reader.take('(')) return { kind: 'group', subshell: true, body: parseUntil(reader, ')') };
  if (takeReserved(reader, '{')) return { kind: 'group', subshell: false, body: stepsUntil(reader, ['}']).script };
  if (takeReserved(reader, 'if')) return conditional(reader);
  if (takeReserved(reader, 'while')) return { kind: 'loop', until: false, ...loop(reader) };
  if (takeReserved(reader, 'until')) return { kind: 'loop', until: true, ...loop(reader) };
  if (takeReserved(reader, 'for')) return iteration(reader);
  if (takeReserved(reader, 'case')) return choice(reader);
  const name = reader.match(/[A-Za-z_]\w*[ \t]*\([ \t]*\)/y);
  if (name === undefined) return undefined;
  reader.skipBlanks(true);
  return { kind: 'function', name: name.replace(/[^\w]/g, ''), body: stage(reader) };
}

function conditional(reader: WordReader): Command {
  const branches: Branch[] = [];
  for (;;) {
    const condition = stepsUntil(reader, ['then']).script;
    const { script: body, end } = stepsUntil(reader, ['elif', 'else', 'fi']);
    branches.push({ condition, body });
    if (end === 'elif') continue;
    const otherwise = end === 'else' ? stepsUntil(reader, ['fi']).script : [];
    return { kind: 'if', branches, otherwise };
  }
}

function loop(reader: WordReader): Branch {
  const condition = stepsUntil(reader, ['do']).script;
  return { condition, body: stepsUntil(reader, ['done']).script };
}

function iteration(reader: WordReader): Command {
  reader.skipBlanks();
  const name = literalOf(reader.word()) ?? '';
  reader.skipBlanks(true);
  const items = takeReserved(reader, 'in') ? wordsOf(reader) : undefined;
  if (!items) reader.take(';');
  stepsUntil(reader, ['do']);
  return { kind: 'for', name, items, body: stepsUntil(reader, ['done']).script };
}

function wordsOf(reader: WordReader): Word[] {
  const words: Word[] = [];
  for (;;) {
    reader.skipBlanks();
    const word = reader.word();
    if (!word) break;
    words.push(word);
  }
  separator(reader);
  return words;
}

function choice(reader: WordReader): Command {
  reader.skipBlanks();
  const subject = reader.word() ?? [];
  reader.skipBlanks(true);
  if (!takeReserved(reader, 'in')) throw new ShellSyntaxError('in expected');
  const branches: { patterns: Word[]; body: Script }[] = [];
  for (;;) {
    reader.skipBlanks(true);
    if (takeReserved(reader, 'esac')) return { kind: 'case', subject, branches };
    reader.take('(');
    const patterns: Word[] = [];
    do {
      reader.skipBlanks();
      patterns.push(reader.word() ?? []);
      reader.skipBlanks();
    } while (reader.take('|'));
    reader.expect(')');
    const { script: body, end } = stepsUntil(reader, [';;', 'esac']);
    branches.push({ patterns, body });
    if (end === 'esac') return { kind: 'case', subject, branches };
  }
}

function simple(reader: WordReader, redirections: Redirection[]): Command {
  const assignments: { name: string; value: Word }[] = [];
  const words: Word[] = [];
  for (;;) {
    reader.skipBlanks();
    if (takeRedirection(reader, redirections)) continue;
    const name = words.length === 0 ? reader.match(/[A-Za-z_]\w*=/y) : undefined;
    if (name !== undefined) {
      assignments.push({ name: name.slice(0, -1), value: reader.word() ?? [] });
      continue;
    }
    const word = reader.word();
    if (!word) break;
    words.push(word);
    if (words.length === 1 && literalOf(word) === '[[') words.push(...conditionWords(reader));
  }
  if (words.length + assignments.length + redirections.length === 0)
    throw new ShellSyntaxError('a command is expected');
  return { kind: 'simple', assignments, words };
}

/** Within `[[ … ]]`, operators are words too. */
function conditionWords(reader: WordReader): Word[] {
  const words: Word[] = [];
  for (;;) {
    reader.skipBlanks(true);
    const operator = reader.match(/&&|\|\||[<>()]/y);
    const word = operator === undefined ? reader.word() : [{ kind: 'text', text: operator, quoted: false } as const];
    if (!word) throw new ShellSyntaxError(']] expected');
    words.push(word);
    if (literalOf(word) === ']]') return words;
  }
}

function takeRedirection(reader: WordReader, redirections: Redirection[]): boolean {
  reader.skipBlanks();
  const arrow = reader.match(/\d?(?:<<|<>|>\||[<>]\(|>>|[<>]&?)/y);
  if (arrow === undefined) return false;
  const [, digit, operator = ''] = /^(\d?)(.*)$/.exec(arrow) ?? [];
  const kind = (
    { '<': 'read', '>': 'write', '>|': 'write', '>>': 'append', '>&': 'duplicate', '<&': 'duplicate' } as const
  )[operator];
  if (!kind) throw new ShellSyntaxError(`${operator} is not supported`);
  reader.skipBlanks();
  const target = reader.word();
  if (!target) throw new ShellSyntaxError('a file name is expected');
  redirections.push({ descriptor: Number(digit || (operator.startsWith('<') ? 0 : 1)), kind, target });
  return true;
}
