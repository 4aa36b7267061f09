import { isConfigMapKey, isRelaxedEnvVarName } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import type { Context } from '../command/context.js';
import type { FileError } from '../host.js';
import { baseName } from '../paths.js';
import { filesOf } from './read-manifests.js';

/** Keys and contents, in the order in which flags gave them. */
export type Entries = Map<string, Uint8Array>;

interface Target {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
}

/** The data that `--from-file`, `--from-literal` and `--from-env-file` name. */
export async function readSources(context: Context, target: Target): Promise<Entries> {
  const { flags } = context;
  const envFiles = flags.strings('from-env-file');
  const [files, literals] = [flags.strings('from-file'), flags.strings('from-literal')];
  if (envFiles.length > 0 && (files.length > 0 || literals.length > 0))
    throw new CommandError('from-env-file cannot be combined with from-file or from-literal');
  const entries: Entries = new Map();
  for (const source of files) await addFile(context, source, { entries, target });
  for (const literal of literals) addLiteral(literal, { entries, target });
  for (const path of envFiles) await addEnvironmentFile(context, path, { entries, target });
  return entries;
}

interface Adding {
  readonly entries: Entries;
  readonly target: Target;
}

function add(key: string, content: Uint8Array, { entries, target }: Adding): void {
  const [problem] = isConfigMapKey(key);
  if (problem)
    throw new CommandError(`${JSON.stringify(key)} is not a valid key name for a ${target.kind}: ${problem}`);
  if (entries.has(key))
    throw new CommandError(
      `cannot add key ${JSON.stringify(key)}, another key by that name already exists in Data for ${target.kind} ${JSON.stringify(target.name)}`,
    );
  entries.set(key, content);
}

function addLiteral(literal: string, adding: Adding): void {
  const mark = literal.indexOf('=');
  if (mark <= 0) throw new CommandError(`invalid literal source ${literal}, expected key=value`);
  const value = literal.slice(mark + 1).replace(/^(['"])(.*)\1$/s, '$2');
  add(literal.slice(0, mark), new TextEncoder().encode(value), adding);
}

/** `path`, `key=path`, or a folder, of which every file becomes an entry. */
async function addFile({ host }: Context, source: string, adding: Adding): Promise<void> {
  const files = filesOf(host);
  const parts = source.split('=');
  if (parts.length > 2) throw new CommandError("key names or file paths cannot contain '='");
  const [key, path] = parts.length === 2 ? [parts[0] ?? '', parts[1] ?? ''] : ['', source];
  if (parts.length === 2 && key === '') throw new CommandError(`key name for file path ${path} missing`);
  if (parts.length === 2 && path === '') throw new CommandError(`file path for key name ${key} missing`);
  const { kind } = await files.stat(path).catch((error: FileError) => {
    throw new CommandError(
      error.isMissing ? `error reading ${path}: no such file or directory` : `error reading ${path}: ${error.message}`,
    );
  });
  if (kind !== 'directory') return add(key || baseName(path), await files.read(path), adding);
  if (key !== '') throw new CommandError('cannot give a key name for a directory path');
  for (const name of await files.list(path)) {
    const one = `${path.replace(/\/$/, '')}/${name}`;
    if ((await files.stat(one)).kind === 'file' && isConfigMapKey(name).length === 0)
      add(name, await files.read(one), adding);
  }
}

async function addEnvironmentFile({ host }: Context, path: string, adding: Adding): Promise<void> {
  const text = new TextDecoder().decode(
    await filesOf(host)
      .read(path)
      .catch((error: FileError) => {
        throw new CommandError(error.isMissing ? `error reading ${path}: no such file or directory` : error.message);
      }),
  );
  for (const [key, value] of parseEnvironment(text, path, host.env)) add(key, new TextEncoder().encode(value), adding);
}

/** `KEY=value` lines; a key alone takes the value from the environment. */
export function* parseEnvironment(
  text: string,
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
): Generator<[string, string]> {
  for (const raw of text.replace(/^\ufeff/, '').split('\n')) {
    const line = raw.replace(/\r$/, '').trimStart();
    if (line === '' || line.startsWith('#')) continue;
    const mark = line.indexOf('=');
    const key = mark < 0 ? line : line.slice(0, mark);
    const [problem] = isRelaxedEnvVarName(key);
    if (problem) throw new CommandError(`${JSON.stringify(key)} is not a valid key name: ${problem}`);
    if (mark >= 0) yield [key, line.slice(mark + 1)];
    else if (environment[key] !== undefined) yield [key, environment[key] ?? ''];
    void path;
  }
}

/** The text of bytes, if they are UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
