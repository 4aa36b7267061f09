import { bytesFile, ContainerFileError } from '../files/container-files.js';
import type { SimulatedProcess } from './simulated-process.js';
import { testExpression } from './test-expression.js';

/** Applies an operation to each of the named files; a failure is reported, and the others are processed. */
async function withEach(
  job: SimulatedProcess,
  program: string,
  act: (path: string) => void | Promise<void>,
): Promise<number> {
  let exitCode = 0;
  for (const path of job.args.filter((arg) => !arg.startsWith('-') || arg === '-'))
    try {
      await act(path);
    } catch (error) {
      if (!(error instanceof ContainerFileError)) throw error;
      job.streams.stderr(utf8(`${program}: ${path}: ${error.message}\n`));
      exitCode = 1;
    }
  return exitCode;
}

/** The named files one after the other; standard input without any. */
export async function cat(job: SimulatedProcess): Promise<number> {
  const { args, streams, files } = job;
  const pass = async () => {
    for await (const chunk of streams.stdin) streams.stdout(chunk);
  };
  if (args.length === 0) await pass();
  return withEach(job, 'cat', async (path) => (path === '-' ? pass() : streams.stdout(await files.read(path))));
}

export async function ls(job: SimulatedProcess): Promise<number> {
  const { args, streams, files } = job;
  const named = args.some((arg) => !arg.startsWith('-'));
  return withEach(named ? job : { ...job, args: ['/'] }, 'ls', (path) => {
    const isFile = files.at(path)?.kind === 'file';
    const names = isFile ? [path] : files.list(path).map((name) => name);
    streams.stdout(utf8(names.map((name) => `${name}\n`).join('')));
  });
}

export function mkdir(job: SimulatedProcess): Promise<number> {
  return withEach(job, 'mkdir', (path) => job.files.makeDirectory(path));
}

export function touch(job: SimulatedProcess): Promise<number> {
  const { files } = job;
  return withEach(job, 'touch', (path) => void (files.at(path) || files.write(path, bytesFile(new Uint8Array()))));
}

export function rm(job: SimulatedProcess): Promise<number> {
  const forced = job.args.some((arg) => /^-[a-z]*f/.test(arg));
  return withEach(job, 'rm', (path) => {
    if (job.files.at(path) || !forced) job.files.remove(path);
  });
}

/** `test EXPRESSION`, and `[ EXPRESSION ]`. */
export function test({ args, files }: SimulatedProcess): number {
  return testExpression(args.at(-1) === ']' ? args.slice(0, -1) : args, files);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
