import { concatBytes, ownValue, sleep } from '@coracle/base';
import { bytesFile, ContainerFileError } from '../files/container-files.js';
import { spanMs } from '../simulate-command.js';
import { curl, wget } from './fetch-command.js';
import { cat, ls, mkdir, rm, test, touch } from './file-commands.js';
import { parseScript, type ScriptStep } from './shell-script.js';
import type { SimulatedProcess } from './simulated-process.js';
import { tar } from './tar-command.js';

/** Runs until it ends with an exit code. */
type Command = (process: SimulatedProcess) => number | Promise<number>;

/** What a simulated container understands, by the name of the program. */
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
  wget,
  curl,
  sleep: (process) => sleepFor(process),
};

const shells = new Set(['sh', 'bash', 'ash', 'dash']);
/** What a shell ends with if it does not find a program, and if it does not understand a script. */
const shellCodes = { notFound: 127, syntax: 2 } as const;
/** A process that is cut off ends as one that was killed. */
const killedCode = 137;

/** Where a process runs: all but its arguments. */
type Surroundings = Omit<SimulatedProcess, 'args'>;

/** How a command runs in a container. `undefined` if there is no such program. */
export function findCommand(command: readonly string[]): ((around: Surroundings) => Promise<number>) | undefined {
  const [path = '', ...args] = command;
  const name = programOf(path);
  if (shells.has(name)) return (around) => runShell(args, around);
  const builtIn = ownValue(commands, name);
  return builtIn && (async (around) => builtIn({ ...around, args }));
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

/** `sh -c SCRIPT`, or a script from standard input. */
async function runShell(args: readonly string[], around: Surroundings): Promise<number> {
  const flag = args.findIndex(isScriptFlag);
  if (flag >= 0) return runScript(args[flag + 1] ?? '', around);
  const prompt = () => around.interactive && around.streams.stdout(utf8('/ # '));
  let exitCode = 0;
  let left = false;
  prompt();
  for await (const line of linesOf(around.streams.stdin)) {
    exitCode = await runScript(line, around, () => {
      left = true;
    });
    if (left) break;
    prompt();
  }
  return exitCode;
}

async function runScript(script: string, around: Surroundings, onExit: () => void = () => {}): Promise<number> {
  const { streams } = around;
  const steps = parseScript(script, around.environment);
  if (!steps) {
    streams.stderr(utf8('sh: this is more than a simulated shell understands\n'));
    return shellCodes.syntax;
  }
  let exitCode = 0;
  for (const { words, runs, output } of steps) {
    if (runs === (exitCode === 0 ? 'on-failure' : 'on-success')) continue;
    if (streams.signal.aborted) return killedCode;
    exitCode = await redirected(output, around, (stdout) =>
      runStep(words, { ...around, streams: { ...streams, stdout } }),
    );
    if (words[0] === 'exit') {
      onExit();
      return exitCode;
    }
  }
  return exitCode;
}

/** Runs a step with the redirection of its standard output, which may be a file. */
async function redirected(
  output: ScriptStep['output'],
  { streams, files }: Surroundings,
  run: (stdout: (chunk: Uint8Array) => void) => Promise<number>,
): Promise<number> {
  if (output === 'stdout' || output === 'stderr') return run(streams[output]);
  if (output.file === '/dev/null') return run(() => {});
  const chunks: Uint8Array[] = [];
  try {
    if (output.appends && files.at(output.file)) chunks.push(await files.read(output.file));
    files.write(output.file, bytesFile(new Uint8Array()));
    const exitCode = await run((chunk) => void chunks.push(chunk.slice()));
    files.write(output.file, bytesFile(concatBytes(chunks)));
    return exitCode;
  } catch (error) {
    if (!(error instanceof ContainerFileError)) throw error;
    streams.stderr(utf8(`sh: can't create ${output.file}: ${error.message}\n`));
    return 1;
  }
}

async function runStep(words: readonly string[], around: Surroundings): Promise<number> {
  const [name = '', ...args] = words;
  if (name === 'exit') return exitCodeIn(args);
  const run = findCommand(words);
  if (run) return run(around);
  around.streams.stderr(utf8(`sh: ${name}: not found\n`));
  return shellCodes.notFound;
}

function exitCodeIn([code = '0']: readonly string[]): number {
  return Number(code) & 0xff;
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
  // A sleep is limited to a day.
  return sleep(clock, Math.min(ms, 86_400_000), streams.signal).then(
    () => 0,
    () => killedCode,
  );
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n|\r/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
