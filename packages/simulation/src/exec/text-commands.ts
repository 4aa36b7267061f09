import { concatBytes } from '@coracle/base';
import { ContainerFileError } from '../files/container-files.js';
import { ArithmeticError, evaluate } from '../shell/arithmetic.js';
import type { SimulatedProcess } from './simulated-process.js';

/** `expr A + B`, `expr A = B`: 0 if the result is neither empty nor zero, else 1. */
export function expr({ args, streams }: SimulatedProcess): number {
  try {
    const [a = '', operator = '', b = ''] = args;
    const comparesText = args.length === 3 && /^(!?=|[<>]=?)$/.test(operator) && !/^-?\d+$/.test(`${a}${b}`);
    const result = args.length === 1 ? a : comparesText ? Number(compare(a, operator, b)) : sumOf(args);
    print(streams.stdout, `${result}\n`);
    return String(result) === '' || Number(result) === 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof ArithmeticError)) throw error;
    print(streams.stderr, `expr: ${error.message === 'divide by zero' ? 'division by zero' : 'syntax error'}\n`);
    return 2;
  }
}

function sumOf(args: readonly string[]): number {
  return evaluate(args.map((arg) => (arg === '=' ? '==' : arg)).join(' '), () => undefined);
}

function compare(a: string, operator: string, b: string): boolean {
  if (operator === '=') return a === b;
  if (operator === '!=') return a !== b;
  const below = operator.startsWith('<') ? a < b : a > b;
  return below || (operator.endsWith('=') && a === b);
}

/** The numbers from the first to the last, one a line. */
export function seq({ args, streams }: SimulatedProcess): number {
  const numbers = args.map(Number);
  const [from, step, to] =
    numbers.length > 2 ? numbers : numbers.length > 1 ? [numbers[0], 1, numbers[1]] : [1, 1, numbers[0]];
  if (from === undefined || to === undefined || !step || numbers.some(Number.isNaN)) {
    print(streams.stderr, 'seq: invalid number\n');
    return 1;
  }
  for (let each = from; step > 0 ? each <= to : each >= to; each += step) print(streams.stdout, `${each}\n`);
  return 0;
}

/** The user of the process: `id`, `id -u`, `id -g`. */
export function id({ args: [flag], user, streams }: SimulatedProcess): number {
  const { uid, gid, groups } = user;
  const named = (number: number) => (number === 0 ? '0(root)' : String(number));
  if (flag === '-u') return print(streams.stdout, `${uid}\n`);
  if (flag === '-g') return print(streams.stdout, `${gid}\n`);
  const all = [...new Set([gid, ...groups])];
  if (flag === '-G') return print(streams.stdout, `${all.join(' ')}\n`);
  const others = all.length > 1 || all[0] === 0 ? ` groups=${all.map(named).join(',')}` : '';
  return print(streams.stdout, `uid=${named(uid)} gid=${named(gid)}${others}\n`);
}

/** Counts lines, words and bytes; with a flag, one of them. */
export function wc(job: SimulatedProcess): Promise<number> {
  const flag = job.args.find((arg) => arg.startsWith('-'));
  return withInputs(job, 'wc', (content, name) => {
    const text = new TextDecoder().decode(content);
    const counts = {
      '-l': text.split('\n').length - 1,
      '-w': text.split(/\s+/).filter(Boolean).length,
      '-c': content.length,
    };
    const shown = flag === '-l' || flag === '-w' || flag === '-c' ? [counts[flag]] : Object.values(counts);
    print(job.streams.stdout, `${shown.join(' ')}${name === undefined ? '' : ` ${name}`}\n`);
  });
}

/** The first lines, ten unless `-n` says how many. */
export function head(job: SimulatedProcess): Promise<number> {
  const { count, args } = lineCount(job.args);
  return withInputs({ ...job, args }, 'head', (content) => {
    print(job.streams.stdout, linesOf(content).slice(0, count).join(''));
  });
}

/** The last lines. With `-f` it goes on until it is stopped; what is added to a file is not shown. */
export async function tail(job: SimulatedProcess): Promise<number> {
  const { count, args } = lineCount(job.args.filter((arg) => arg !== '-f' && arg !== '-F'));
  const named = args.filter((arg) => arg !== '/dev/null');
  const follows = job.args.length > 0 && job.args.some((arg) => arg === '-f' || arg === '-F');
  const exitCode =
    named.length === 0 && args.length > 0
      ? 0
      : await withInputs({ ...job, args: named }, 'tail', (content) => {
          print(job.streams.stdout, count === 0 ? '' : linesOf(content).slice(-count).join(''));
        });
  if (!follows) return exitCode;
  await new Promise<void>((resolve) => {
    if (job.streams.signal.aborted) resolve();
    job.streams.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return 137;
}

function lineCount(args: readonly string[]): { readonly count: number; readonly args: readonly string[] } {
  const at = args.indexOf('-n');
  const short = args.find((arg) => /^-n?\d+$/.test(arg));
  const count = at >= 0 ? Number(args[at + 1]) : short ? Number(short.replace(/^-n?/, '')) : 10;
  return { count, args: args.filter((arg, index) => arg !== short && (at < 0 || (index !== at && index !== at + 1))) };
}

function linesOf(content: Uint8Array): string[] {
  return new TextDecoder().decode(content).match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Reads each of the named files, or what comes in if none is named. */
async function withInputs(
  { args, streams, files }: SimulatedProcess,
  program: string,
  show: (content: Uint8Array, name: string | undefined) => void,
): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith('-'));
  if (names.length === 0) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of streams.stdin) chunks.push(chunk.slice());
    show(concatBytes(chunks), undefined);
  }
  let exitCode = 0;
  for (const name of names)
    try {
      show(await files.read(name), name);
    } catch (error) {
      if (!(error instanceof ContainerFileError)) throw error;
      print(streams.stderr, `${program}: ${name}: ${error.message}\n`);
      exitCode = 1;
    }
  return exitCode;
}

const printProgram = /^\{ *print( *\$\d+( *, *\$\d+)*)? *\}$/;

/** `awk '{ print $1, $2 }'` is the one program that is simulated. */
export function isPrintProgram(args: readonly (string | undefined)[]): boolean {
  return args.length === 1 && printProgram.test(args[0] ?? '');
}

export async function awk({ args, streams }: SimulatedProcess): Promise<number> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of streams.stdin) chunks.push(chunk.slice());
  const fields = (args[0]?.match(/\d+/g) ?? ['0']).map(Number);
  for (const line of linesOf(concatBytes(chunks))) {
    const text = line.replace(/\n$/, '');
    const values = text.trim().split(/\s+/);
    print(streams.stdout, `${fields.map((field) => (field === 0 ? text : (values[field - 1] ?? ''))).join(' ')}\n`);
  }
  return 0;
}

function print(write: (chunk: Uint8Array) => void, text: string): number {
  if (text !== '') write(new TextEncoder().encode(text));
  return 0;
}
