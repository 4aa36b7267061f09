import type { ContainerFiles } from '../files/container-files.js';
import { patternOf } from '../shell/pattern.js';

type Binary = (a: string, b: string) => boolean;

const numbers =
  (compare: (a: number, b: number) => boolean): Binary =>
  (a, b) =>
    compare(Number(a), Number(b));

const binary: Readonly<Record<string, Binary>> = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '-eq': numbers((a, b) => a === b),
  '-ne': numbers((a, b) => a !== b),
  '-lt': numbers((a, b) => a < b),
  '-le': numbers((a, b) => a <= b),
  '-gt': numbers((a, b) => a > b),
  '-ge': numbers((a, b) => a >= b),
};

/** `==` and `!=` compare with patterns in `[[ … ]]`, and with texts in `[ … ]`. */
const patterns: Readonly<Record<string, Binary>> = {
  '=': isLike,
  '==': isLike,
  '!=': (a, b) => !isLike(a, b),
};

function isLike(text: string, pattern: string): boolean {
  return patternOf([{ text: pattern, quoted: false }]).test(text);
}

/** The result of `test`: 0 if it holds, 1 if not, 2 for an expression that is none. */
export function testExpression(operands: readonly string[], files: ContainerFiles, extended = false): number {
  const rest = [...operands];
  try {
    if (rest.length === 0) return 1;
    const holds = alternatives(rest, { files, extended });
    return rest.length > 0 ? 2 : holds ? 0 : 1;
  } catch (error) {
    if (error instanceof RangeError) return 2;
    throw error;
  }
}

interface Context {
  readonly files: ContainerFiles;
  readonly extended: boolean;
}

function alternatives(rest: string[], context: Context): boolean {
  let holds = conjunction(rest, context);
  while (rest[0] === '-o' || rest[0] === '||') {
    rest.shift();
    holds = conjunction(rest, context) || holds;
  }
  return holds;
}

function conjunction(rest: string[], context: Context): boolean {
  let holds = condition(rest, context);
  while (rest[0] === '-a' || rest[0] === '&&') {
    rest.shift();
    holds = condition(rest, context) && holds;
  }
  return holds;
}

function condition(rest: string[], context: Context): boolean {
  const [first = '', second = '', third] = rest;
  const compare = (context.extended ? patterns[second] : undefined) ?? binary[second === '==' ? '=' : second];
  if (compare && third !== undefined) {
    rest.splice(0, 3);
    return compare(first, third);
  }
  if (first === '!' && rest.length > 1) {
    rest.shift();
    return !condition(rest, context);
  }
  if (first === '(') {
    rest.shift();
    const holds = alternatives(rest, context);
    if (rest.shift() !== ')') throw new RangeError('closing paren expected');
    return holds;
  }
  if (/^-[a-zA-Z]$/.test(first) && rest.length > 1) {
    rest.splice(0, 2);
    return isTrue(first, second, context.files);
  }
  if (rest.shift() === undefined) throw new RangeError('argument expected');
  return first !== '';
}

/** Every file may be read, written and, if its mode says so, executed. */
function isTrue(operator: string, operand: string, files: ContainerFiles): boolean {
  if (operator === '-n') return operand !== '';
  if (operator === '-z') return operand === '';
  const entry = files.at(operand);
  if (operator === '-d') return entry?.kind === 'directory';
  if (operator === '-f') return entry?.kind === 'file';
  if (operator === '-s') return files.sizeOf(operand) > 0;
  if (operator === '-x') return entry?.kind === 'directory' || (entry?.kind === 'file' && (entry.mode & 0o111) !== 0);
  return 'erw'.includes(operator.slice(1)) && entry !== undefined;
}
