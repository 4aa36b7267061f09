import { parseShell } from '../shell/parse-shell.js';
import type { Script } from '../shell/script.js';
import { ShellJump, type ShellState } from './shell-state.js';
import type { Around } from './simulated-process.js';
import { testExpression } from './test-expression.js';

interface BuiltInCall {
  readonly args: readonly string[];
  readonly around: Around;
  readonly state: ShellState;
  readonly shell: {
    run(script: Script, around: Around): Promise<number>;
    /** Runs a program, not a command of the shell itself. */
    program(words: readonly string[], around: Around): Promise<number>;
  };
}

type BuiltIn = (call: BuiltInCall) => number | Promise<number>;

/** The commands that the shell itself carries out. */
export const builtIns: Readonly<Record<string, BuiltIn>> = {
  exit: ({ args, state }) => {
    throw new ShellJump('exit', codeIn(args, state));
  },
  return: ({ args, state }) => {
    throw new ShellJump('return', codeIn(args, state));
  },
  break: ({ args: [levels = '1'] }) => {
    throw new ShellJump('break', 0, Number(levels));
  },
  continue: ({ args: [levels = '1'] }) => {
    throw new ShellJump('continue', 0, Number(levels));
  },
  exec: async ({ args, around, state, shell }) => {
    if (args.length === 0) return 0;
    throw new ShellJump('exit', await shell.program(args, { ...around, environment: state.environment }));
  },
  set: ({ args, state }) => {
    for (const arg of args) if (/^[-+][a-z]*e/.test(arg)) state.exitsOnError = arg.startsWith('-');
    if (args[0] === '--') state.positional = args.slice(1);
    return 0;
  },
  export: ({ args, state }) => declare(args, state, true),
  local: ({ args, state }) => declare(args, state, false),
  unset: ({ args, state }) => {
    for (const name of args) state.variables.delete(name);
    return 0;
  },
  shift: ({ args: [count = '1'], state }) => {
    state.positional = state.positional.slice(Number(count));
    return 0;
  },
  wait: async ({ state }) => {
    await Promise.all(state.jobs.splice(0));
    return 0;
  },
  eval: ({ args, around, shell }) => shell.run(parseShell(args.join(' ')), around),
  read: async ({ args, around, state }) => {
    const line = await state.linesOf(around.streams.stdin).next();
    const names = args.filter((arg) => !arg.startsWith('-'));
    const values = (line ?? '').trim().split(/[ \t]+/);
    for (const [index, name] of names.entries())
      state.variables.set(name, index === names.length - 1 ? values.slice(index).join(' ') : (values[index] ?? ''));
    return line === undefined ? 1 : 0;
  },
  '[[': ({ args, around }) => testExpression(args.slice(0, -1), around.files, true),
};

function codeIn([code]: readonly string[], { exitCode }: ShellState): number {
  return code === undefined ? exitCode : Number(code) & 0xff;
}

function declare(args: readonly string[], state: ShellState, exports: boolean): number {
  for (const arg of args.filter((each) => !each.startsWith('-'))) {
    const [, name = '', , value] = /^(\w+)(=([\s\S]*))?$/.exec(arg) ?? [];
    if (value !== undefined) state.variables.set(name, value);
    if (exports && name !== '') state.exported.add(name);
  }
  return 0;
}
