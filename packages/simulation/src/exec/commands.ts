import { type Millis, ownValue, sleep } from '@coracle/base';
import { commandsOf, functionsOf } from '../shell/commands-of.js';
import { parseShell } from '../shell/parse-shell.js';
import type { Script } from '../shell/script.js';
import { ShellSyntaxError } from '../shell/word-reader.js';
import { curl, wget } from './fetch-command.js';
import { cat, ls, mkdir, rm, test, touch } from './file-commands.js';
import { Shell } from './run-shell.js';
import { builtIns } from './shell-built-ins.js';
import { ShellState } from './shell-state.js';
import type { Around, SimulatedProcess } from './simulated-process.js';
import { tar } from './tar-command.js';
import { awk, expr, head, id, isPrintProgram, seq, tail, wc } from './text-commands.js';

/** Runs until it ends with an exit code. */
type Command = (process: SimulatedProcess) => number | Promise<number>;

/** The simulated commands, by the name of the program. */
const commands: Readonly<Record<string, Command>> = {
  true: () => 0,
  ':': () => 0,
  false: () => 1,
  echo: ({ args, streams }) => print(streams.stdout, echoed(args)),
  printf: ({ args: [format = ''], streams }) => print(streams.stdout, unescaped(format)),
  env: (process) => printEnvironment(process),
  printenv: (process) => printEnvironment(process),
  hostname: ({ environment, streams }) => print(streams.stdout, `${environment['HOSTNAME'] ?? ''}\n`),
  whoami: ({ streams }) => print(streams.stdout, 'root\n'),
  pwd: ({ streams }) => print(streams.stdout, '/\n'),
  date: ({ clock, streams }) => print(streams.stdout, `${new Date(clock.now()).toUTCString()}\n`),
  cat,
  ls,
  mkdir,
  rm,
  touch,
  test,
  '[': test,
  tar,
  expr,
  seq,
  id,
  wc,
  head,
  tail,
  awk,
  wget,
  curl,
  sleep: (process) => sleepFor(process),
};

const shells = new Set(['sh', 'bash', 'ash', 'dash']);
/** Exit codes of a shell for an unknown program, and for an unsupported script. */
const shellCodes = { notFound: 127, syntax: 2 } as const;
/** A process that is cut off ends as one that was killed. */
const killedCode = 137;

/** How a command runs in a container. `undefined` if there is no such program. */
export function findCommand(command: readonly string[]): ((around: Around) => Promise<number>) | undefined {
  const [path = '', ...args] = command;
  const name = programOf(path);
  if (shells.has(name)) return (around) => runShell(path, args, around);
  const builtIn = ownValue(commands, name);
  return builtIn && (async (around) => builtIn({ ...around, args }));
}

/**
 * Whether all that a command does is simulated: its program, or every program of its script. A shell or `cat` that is
 * given neither a script nor a file is not: what it does depends on what it is sent.
 */
export function isSimulated(command: readonly string[], includes: (program: string) => boolean = () => true): boolean {
  const [path = '', ...args] = command;
  const name = programOf(path);
  if (readsInput(command)) return false;
  if (!shells.has(name)) return isSimulatedProgram(name, args) && includes(name);
  const script = scriptOf(args[args.findIndex(isScriptFlag) + 1] ?? '');
  if (!script) return false;
  const functions = functionsOf(script);
  return commandsOf(script).every((words) => {
    const [first, ...rest] = words[0] === 'exec' && words.length > 1 ? words.slice(1) : words;
    if (first === undefined) return false;
    if (functions.includes(first)) return true;
    const program = programOf(first);
    if (shells.has(program))
      return rest.every((arg) => arg !== undefined) && isSimulated([first, ...(rest as string[])], includes);
    return (Object.hasOwn(builtIns, first) || isSimulatedProgram(program, rest)) && includes(program);
  });
}

function isSimulatedProgram(name: string, args: readonly (string | undefined)[]): boolean {
  if (name === 'sleep') return args.every((arg) => arg === undefined || spanMs(arg) !== undefined);
  // Their result depends on servers, which may be programs that are not simulated.
  if (name === 'wget' || name === 'curl') return false;
  return Object.hasOwn(commands, name) && (name !== 'awk' || isPrintProgram(args));
}

/** Whether a command does something with what it is sent. */
export function readsInput([path = '', ...args]: readonly string[]): boolean {
  const name = programOf(path);
  return shells.has(name) ? !args.some(isScriptFlag) : name === 'cat' && args.every((arg) => arg === '-');
}

function isScriptFlag(arg: string): boolean {
  return /^-[a-z]*c$/.test(arg);
}

function programOf(path: string): string {
  return path.replace(/^(\/usr)?(\/local)?\/s?bin\//, '');
}

function scriptOf(text: string): Script | undefined {
  try {
    return parseShell(text);
  } catch (error) {
    if (error instanceof ShellSyntaxError) return undefined;
    throw error;
  }
}

/** `sh -c SCRIPT`, or a script from standard input. */
async function runShell(path: string, args: readonly string[], around: Around): Promise<number> {
  const flag = args.findIndex(isScriptFlag);
  const flags = args.slice(0, flag < 0 ? args.length : flag + 1).filter((arg) => arg.startsWith('-'));
  const state = new ShellState({
    name: (flag < 0 ? undefined : args[flag + 2]) ?? path,
    environment: around.environment,
    positional: flag < 0 ? [] : args.slice(flag + 3),
    exitsOnError: flags.some((each) => each.includes('e')),
  });
  const shell = new Shell(state, runStep);
  if (flag >= 0) return runScript(shell, args[flag + 1] ?? '', around);
  const prompt = () => around.interactive && around.streams.stdout(utf8('/ # '));
  let exitCode = 0;
  let left = false;
  prompt();
  for (;;) {
    const line = await state.linesOf(around.streams.stdin).next();
    if (line === undefined) return exitCode;
    exitCode = await runScript(shell, line, around, () => {
      left = true;
    });
    if (left) return exitCode;
    prompt();
  }
}

async function runScript(shell: Shell, text: string, around: Around, onExit?: () => void): Promise<number> {
  const script = scriptOf(text);
  if (script) return shell.run(script, around, onExit);
  around.streams.stderr(utf8(`${shell.state.name}: this is more than a simulated shell understands\n`));
  return shellCodes.syntax;
}

async function runStep(words: readonly string[], around: Around): Promise<number> {
  const run = findCommand(words);
  if (run) return run(around);
  around.streams.stderr(utf8(`sh: ${words[0]}: not found\n`));
  return shellCodes.notFound;
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function print(write: (chunk: Uint8Array) => void, text: string): number {
  write(utf8(text));
  return 0;
}

function echoed(args: readonly string[]): string {
  const first = args.findIndex((arg) => arg !== '-n' && arg !== '-e');
  const flags = first < 0 ? args : args.slice(0, first);
  const text = args.slice(flags.length).join(' ');
  return (flags.includes('-e') ? unescaped(text) : text) + (flags.includes('-n') ? '' : '\n');
}

function unescaped(text: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\' };
  return text.replace(/\\(.)/g, (whole, letter: string) => escapes[letter] ?? whole);
}

function printEnvironment({ args: [name], environment, streams }: SimulatedProcess): number {
  if (name === undefined) {
    const lines = Object.entries(environment).map(([key, value]) => `${key}=${value}\n`);
    return print(streams.stdout, lines.join(''));
  }
  const value = ownValue(environment, name);
  return value === undefined ? 1 : print(streams.stdout, `${value}\n`);
}

async function sleepFor({ args: [span = ''], clock, streams }: SimulatedProcess): Promise<number> {
  const ms = spanMs(span);
  if (ms === undefined) {
    streams.stderr(utf8(`sleep: invalid time interval '${span}'\n`));
    return 1;
  }
  try {
    // One timer is limited to a day.
    for (let rest = ms; rest >= 0; rest -= dayMs) {
      await sleep(clock, Math.min(rest, dayMs), streams.signal);
      if (rest <= dayMs) break;
    }
    return 0;
  } catch {
    return killedCode;
  }
}

const dayMs = 86_400_000;
const secondsByUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** How long `sleep` sleeps: `5`, `1.5m`, `infinity`. */
function spanMs(span: string): Millis | undefined {
  if (span === 'infinity' || span === 'inf') return Number.POSITIVE_INFINITY;
  const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(span);
  if (!match) return undefined;
  return Number(match[1]) * (secondsByUnit[match[2] || 's'] ?? 1) * 1_000;
}
