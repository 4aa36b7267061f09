import { messageOf } from '@coracle/base';
import { readTar, type TarEntry, writeTar } from '@coracle/client';
import { bytesFile, ContainerFileError, type ContainerFiles, normalized } from '../files/container-files.js';
import { parentOf } from '../files/file-tree.js';
import type { SimulatedProcess } from './simulated-process.js';

interface TarRequest {
  readonly does: 'create' | 'extract' | 'list';
  /** Working directory of names. */
  readonly folder: string;
  readonly names: readonly string[];
  /** `-` is standard input or output. */
  readonly archive: string;
}

const failureCode = 2;

/** `tar`, as far as `kubectl cp` needs it: makes archives, unpacks them and lists them. */
export async function tar({ args, streams, files }: SimulatedProcess): Promise<number> {
  const request = parseArguments(args);
  const complain = (text: string) => streams.stderr(new TextEncoder().encode(`tar: ${text}\n`));
  if (!request) {
    complain('You must specify one of the options -c, -x and -t, and the archive -f -');
    return failureCode;
  }
  try {
    if (request.does === 'create') return await create(request, files, { write: streams.stdout, complain });
    if (files.at(request.folder)?.kind !== 'directory')
      throw new ContainerFileError(`${request.folder}: Cannot open: No such file or directory`);
    for await (const entry of readTar(streams.stdin))
      if (request.does === 'list') streams.stdout(new TextEncoder().encode(`${entry.name}\n`));
      else extract(request.folder, entry, files);
    return 0;
  } catch (error) {
    complain(messageOf(error));
    return failureCode;
  }
}

function parseArguments(args: readonly string[]): TarRequest | undefined {
  const names: string[] = [];
  let folder = '/';
  let letters = '';
  let archive = '';
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const isFlags = at === 0 || /^-[a-zA-Z]/.test(arg);
    if (arg === '-C') folder = args[++at] ?? '';
    else if (isFlags) {
      letters += arg.replace(/^-/, '');
      if (arg.endsWith('f')) archive = args[++at] ?? '';
    } else names.push(arg);
  }
  const does = (['create', 'extract', 'list'] as const).find((_, index) => letters.includes('cxt'.charAt(index)));
  return does && archive === '-' ? { does, folder, names, archive } : undefined;
}

interface Output {
  readonly write: (chunk: Uint8Array) => void;
  readonly complain: (text: string) => void;
}

async function create({ folder, names }: TarRequest, files: ContainerFiles, { write, complain }: Output) {
  const entries: TarEntry[] = [];
  let exitCode = 0;
  for (const name of names) {
    if (name.startsWith('/')) complain("Removing leading `/' from member names");
    const path = name.startsWith('/') ? name : `${folder}/${name}`;
    if (files.at(path)) await collect(files, { path, name: normalized(name) }, entries);
    else {
      complain(`${name}: Cannot stat: No such file or directory`);
      exitCode = failureCode;
    }
  }
  for (const chunk of writeTar(entries)) write(chunk);
  if (exitCode !== 0) complain('Exiting with failure status due to previous errors');
  return exitCode;
}

async function collect(
  files: ContainerFiles,
  { path, name }: { readonly path: string; readonly name: string },
  entries: TarEntry[],
): Promise<void> {
  const entry = files.at(path);
  if (entry?.kind === 'file') {
    entries.push({ name, type: 'file', mode: entry.mode, data: await entry.content() });
    return;
  }
  entries.push({ name: `${name}/`, type: 'directory' });
  for (const child of files.list(path))
    await collect(files, { path: `${path}/${child}`, name: `${name}/${child}` }, entries);
}

/** Links are skipped: simulated containers do not support them. */
function extract(folder: string, { name, type, mode, data }: TarEntry, files: ContainerFiles): void {
  const path = `${folder}/${normalized(name)}`;
  if (type === 'directory') files.makeDirectory(path);
  if (type !== 'file') return;
  files.makeDirectory(parentOf(normalized(path)));
  files.write(path, bytesFile((data ?? new Uint8Array()).slice(), mode));
}
