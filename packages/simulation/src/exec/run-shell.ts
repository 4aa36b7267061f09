import { concatBytes, Pipe, sleep } from '@coracle/base';
import { bytesFile, ContainerFileError } from '../files/container-files.js';
import { ArithmeticError } from '../shell/arithmetic.js';
import { type ExpansionContext, expandPattern, expandWord, expandWords } from '../shell/expand-words.js';
import type { Command, Redirection, Script, SimpleCommand, Stage } from '../shell/script.js';
import { filesLike } from './files-like.js';
import { builtIns } from './shell-built-ins.js';
import { ShellJump, type ShellState } from './shell-state.js';
import type { Around } from './simulated-process.js';

/** A process that is cut off ends as one that was killed. */
const killedCode = 137;
/** A loop that never waits lets time pass after so many rounds, more each time: it must not take all of the machine. */
const roundsWithoutWait = 1_000;
const mostPauseMs = 60_000;

/** Runs scripts. One shell is one process: its variables and functions stay from script to script. */
export class Shell {
  readonly state: ShellState;
  readonly #runProgram: (words: readonly string[], around: Around) => Promise<number>;
  /** The rounds of loops within a second. */
  #rounds = { since: 0, count: 0 };
  #pauseMs = 10;

  constructor(state: ShellState, runProgram: (words: readonly string[], around: Around) => Promise<number>) {
    this.state = state;
    this.#runProgram = runProgram;
  }

  /** Runs a script, and returns its exit code; `onExit` is called if it left by `exit`. */
  async run(script: Script, around: Around, onExit: () => void = () => {}): Promise<number> {
    try {
      return await this.#steps(script, around, false);
    } catch (error) {
      if (!(error instanceof ShellJump)) throw error;
      if (error.kind === 'exit') onExit();
      return error.code;
    }
  }

  /** A part of a script. A `tested` one may fail, whatever `set -e` says. */
  async #steps(script: Script, around: Around, tested: boolean): Promise<number> {
    const { state } = this;
    let exitCode = 0;
    for (const [index, step] of script.entries()) {
      if (step.runs === (exitCode === 0 ? 'on-failure' : 'on-success')) continue;
      if (around.streams.signal.aborted) throw new ShellJump('exit', killedCode);
      const inList = (script[index + 1]?.runs ?? 'always') !== 'always';
      const run = () => this.#pipeline(step.stages, around, tested || inList || step.negated);
      if (step.background) {
        state.jobs.push(new Shell(state.copy(), this.#runProgram).#job(run));
        exitCode = 0;
      } else exitCode = step.negated ? Number((await run()) === 0) : await run();
      state.exitCode = exitCode;
      if (exitCode !== 0 && state.exitsOnError && !tested && !inList && !step.negated)
        throw new ShellJump('exit', exitCode);
    }
    return exitCode;
  }

  async #job(run: () => Promise<number>): Promise<number> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof ShellJump) return error.code;
      throw error;
    }
  }

  async #pipeline(stages: readonly Stage[], around: Around, tested: boolean): Promise<number> {
    if (stages.length === 1 && stages[0]) return this.#stage(stages[0], around, tested);
    let stdin = around.streams.stdin;
    const running = stages.map((stage, index) => {
      const pipe = new Pipe<Uint8Array>(({ length }) => length);
      const isLast = index === stages.length - 1;
      const stdout = isLast ? around.streams.stdout : (chunk: Uint8Array) => pipe.write(chunk.slice());
      const streams = { ...around.streams, stdin, stdout };
      stdin = pipe;
      const shell = new Shell(this.state.copy(), this.#runProgram);
      return shell.#job(() => shell.#stage(stage, { ...around, streams }, true)).finally(() => pipe.end());
    });
    const codes = await Promise.all(running);
    return codes.at(-1) ?? 0;
  }

  async #stage(stage: Stage, around: Around, tested: boolean): Promise<number> {
    const complain = (text: string) => around.streams.stderr(new TextEncoder().encode(`${this.state.name}: ${text}\n`));
    try {
      const streams = await this.#redirected(stage.redirections, around);
      return await this.#command(stage, { ...around, streams }, tested);
    } catch (error) {
      if (error instanceof ContainerFileError) complain(error.message);
      else if (error instanceof ArithmeticError) complain(error.message);
      else throw error;
      return 1;
    }
  }

  async #command(command: Command, around: Around, tested: boolean): Promise<number> {
    switch (command.kind) {
      case 'simple':
        return this.#simple(command, around);
      case 'if':
        for (const { condition, body } of command.branches)
          if ((await this.#steps(condition, around, true)) === 0) return this.#steps(body, around, tested);
        return this.#steps(command.otherwise, around, tested);
      case 'loop':
        return this.#loop(around, async (again) => {
          while (((await this.#steps(command.condition, around, true)) === 0) !== command.until)
            await again(() => this.#steps(command.body, around, tested));
        });
      case 'for':
        return this.#loop(around, async (again) => {
          const items = command.items && (await expandWords(command.items, this.#context(around)));
          for (const item of items ?? this.state.positional) {
            this.state.variables.set(command.name, item);
            await again(() => this.#steps(command.body, around, tested));
          }
        });
      case 'case': {
        const context = this.#context(around);
        const subject = await expandWord(command.subject, context);
        for (const { patterns, body } of command.branches)
          for (const pattern of patterns)
            if ((await expandPattern(pattern, context)).test(subject)) return this.#steps(body, around, tested);
        return 0;
      }
      case 'group':
        if (!command.subshell) return this.#steps(command.body, around, tested);
        return new Shell(this.state.copy(), this.#runProgram).run(command.body, around);
      case 'function':
        this.state.functions.set(command.name, command.body);
        return 0;
      default:
        return command satisfies never;
    }
  }

  /** Runs rounds until they end, or one of them leaves the loop. */
  async #loop(
    around: Around,
    rounds: (again: (body: () => Promise<number>) => Promise<void>) => Promise<void>,
  ): Promise<number> {
    let exitCode = 0;
    try {
      await rounds(async (body) => {
        await this.#pause(around);
        try {
          exitCode = await body();
        } catch (error) {
          if (!(error instanceof ShellJump && error.kind === 'continue' && error.leavesOne())) throw error;
        }
      });
    } catch (error) {
      if (!(error instanceof ShellJump && error.kind === 'break' && error.leavesOne())) throw error;
    }
    return exitCode;
  }

  async #pause({ clock, streams }: Around): Promise<void> {
    if (streams.signal.aborted) throw new ShellJump('exit', killedCode);
    const now = clock.now();
    if (now - this.#rounds.since >= 1_000) this.#rounds = { since: now, count: 0 };
    if (++this.#rounds.count < roundsWithoutWait) return;
    this.#rounds.count = 0;
    await sleep(clock, this.#pauseMs, streams.signal).catch(() => {});
    this.#pauseMs = Math.min(this.#pauseMs * 2, mostPauseMs);
  }

  async #simple({ assignments, words }: SimpleCommand, around: Around): Promise<number> {
    const { state } = this;
    const context = this.#context(around);
    const [name = '', ...args] = await expandWords(words, context);
    const values: [string, string][] = [];
    for (const { name: variable, value } of assignments) values.push([variable, await expandWord(value, context)]);
    if (words.length === 0) {
      for (const [variable, value] of values) state.variables.set(variable, value);
      return 0;
    }
    const called = state.functions.get(name);
    if (called) return this.#call(called, args, around);
    const builtIn = Object.hasOwn(builtIns, name) ? builtIns[name] : undefined;
    if (builtIn) return builtIn({ args, around, state, shell: this });
    return this.program([name, ...args], {
      ...around,
      environment: { ...state.environment, ...Object.fromEntries(values) },
    });
  }

  /** Runs a program, not a command of the shell itself. */
  program(words: readonly string[], around: Around): Promise<number> {
    return this.#runProgram(words, around);
  }

  async #call(body: Command, args: readonly string[], around: Around): Promise<number> {
    const { positional } = this.state;
    this.state.positional = args;
    try {
      return await this.#command(body, around, false);
    } catch (error) {
      if (error instanceof ShellJump && error.kind === 'return') return error.code;
      throw error;
    } finally {
      this.state.positional = positional;
    }
  }

  #context(around: Around): ExpansionContext {
    const { state } = this;
    return {
      valueOf: (name) => (name === 'RANDOM' ? String(Math.floor(around.random.next() * 32_768)) : state.valueOf(name)),
      assign: (name, value) => void state.variables.set(name, value),
      positional: state.positional,
      filesLike: (pattern) => filesLike(pattern, around.files),
      outputOf: async (script) => {
        const chunks: Uint8Array[] = [];
        const streams = { ...around.streams, stdout: (chunk: Uint8Array) => void chunks.push(chunk.slice()) };
        await new Shell(state.copy(), this.#runProgram).run(script, { ...around, streams });
        return new TextDecoder().decode(concatBytes(chunks));
      },
    };
  }

  async #redirected(redirections: readonly Redirection[], around: Around): Promise<Around['streams']> {
    let streams = around.streams;
    for (const { descriptor, kind, target } of redirections) {
      const name = await expandWord(target, this.#context(around));
      const output = descriptor === 2 ? 'stderr' : 'stdout';
      if (kind === 'duplicate') streams = { ...streams, [output]: name === '2' ? streams.stderr : streams.stdout };
      else if (kind === 'read') streams = { ...streams, stdin: await fileInput(name, around) };
      else if (name === '/dev/stdout' || name === '/dev/stderr')
        streams = { ...streams, [output]: streams[name === '/dev/stdout' ? 'stdout' : 'stderr'] };
      else streams = { ...streams, [output]: await fileOutput(name, kind === 'append', around) };
    }
    return streams;
  }
}

async function fileInput(name: string, { files }: Around): Promise<AsyncIterable<Uint8Array>> {
  const content = name === '/dev/null' ? new Uint8Array() : await readOr(name, () => files.read(name), "can't open");
  return (async function* () {
    yield content;
  })();
}

/** Writes to a file, which exists from the beginning. */
async function fileOutput(name: string, appends: boolean, { files }: Around): Promise<(chunk: Uint8Array) => void> {
  if (name === '/dev/null') return () => {};
  return readOr(
    name,
    async () => {
      const chunks = appends && files.at(name) ? [await files.read(name)] : [];
      files.write(name, bytesFile(concatBytes(chunks)));
      return (chunk) => {
        chunks.push(chunk.slice());
        files.write(name, bytesFile(concatBytes(chunks)));
      };
    },
    "can't create",
  );
}

async function readOr<T>(name: string, act: () => Promise<T>, why: string): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ContainerFileError)) throw error;
    throw new ContainerFileError(`${why} ${name}: ${error.message}`);
  }
}
