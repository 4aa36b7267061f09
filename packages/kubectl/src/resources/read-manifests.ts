import { parseJson, parseYaml } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { messageOf } from '../command/format-error.js';
import { FileError, type Files, type Host } from '../host.js';

/** A document of a manifest, and its position. */
export interface ManifestDocument {
  readonly source: string;
  readonly value: unknown;
}

/** A file of manifests, before it is read into documents. */
export interface ManifestFile {
  readonly source: string;
  readonly bytes: Uint8Array;
}

const extensions = ['.json', '.yaml', '.yml'];

/** The contents of files, folders, URLs and standard input that `-f` names. */
export async function readManifestFiles(
  host: Host,
  names: readonly string[],
  recursive: boolean,
): Promise<ManifestFile[]> {
  const found: ManifestFile[] = [];
  for (const name of names) {
    if (name === '-') found.push({ source: 'STDIN', bytes: await readAll(host) });
    else if (/^https?:\/\//.test(name)) found.push({ source: name, bytes: await readUrl(host, name) });
    else for (const path of await expand(filesOf(host), name)) found.push(...(await readPath(host, path, recursive)));
  }
  return found;
}

export function filesOf(host: Host): Files {
  if (!host.files) throw new CommandError('there are no files on this platform');
  return host.files;
}

export async function readAll(host: Host): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of host.stdin.chunks()) chunks.push(chunk);
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}

const attempts = 3;

async function readUrl(host: Host, url: string): Promise<Uint8Array> {
  if (!host.network) throw new CommandError(`unable to read URL ${JSON.stringify(url)}: there is no network here`);
  let problem = '';
  for (let i = 0; i < attempts; i++) {
    try {
      const { status, statusText, body } = await host.network.fetch(url);
      if (status === 200) return body;
      problem = `unable to read URL "${url}", server reported ${status} ${statusText}, status code=${status}`;
      if (status < 500) break;
    } catch (error) {
      problem = `unable to read URL "${url}": ${messageOf(error)}`;
    }
  }
  throw new CommandError(problem);
}

/** A name with wildcards stands for the files that fit it. */
async function expand(files: Files, name: string): Promise<readonly string[]> {
  if (await exists(files, name)) return [name];
  if (!/[*?[]/.test(name)) throw new CommandError(`the path ${JSON.stringify(name)} does not exist`);
  const slash = name.lastIndexOf('/');
  const folder = slash < 0 ? '.' : name.slice(0, slash) || '/';
  const pattern = globPattern(name.slice(slash + 1));
  const names = (await exists(files, folder)) ? await files.list(folder) : [];
  const fitting = names.filter((one) => pattern.test(one)).map((one) => name.slice(0, slash + 1) + one);
  if (fitting.length === 0) throw new CommandError(`the path ${JSON.stringify(name)} does not exist`);
  return fitting;
}

function globPattern(glob: string): RegExp {
  const escaped = glob
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replace(/\*/g, '[^/]*')
    .replace(/\?/g, '[^/]');
  return new RegExp(`^${escaped}$`);
}

async function exists(files: Files, path: string): Promise<boolean> {
  try {
    await files.stat(path);
    return true;
  } catch (error) {
    if (error instanceof FileError && (error.isMissing || error.reason === 'not a directory')) return false;
    throw error;
  }
}

async function readPath(host: Host, path: string, recursive: boolean): Promise<ManifestFile[]> {
  const files = filesOf(host);
  if ((await files.stat(path)).kind !== 'directory') return [{ source: path, bytes: await files.read(path) }];
  const paths = await walk(files, path.replace(/\/+$/, '') || '/', recursive);
  if (paths.length === 0)
    throw new CommandError(`error reading [${path}]: recognized file extensions are [${extensions.join(' ')}]`);
  return Promise.all(paths.map(async (one) => ({ source: one, bytes: await files.read(one) })));
}

async function walk(files: Files, folder: string, recursive: boolean): Promise<string[]> {
  const found: string[] = [];
  for (const name of await files.list(folder)) {
    const path = `${folder}/${name}`;
    const { kind } = await files.stat(path);
    if (kind === 'directory') {
      if (recursive) found.push(...(await walk(files, path, recursive)));
    } else if (extensions.some((extension) => name.endsWith(extension))) found.push(path);
  }
  return found;
}

/** The documents of a file, YAML or JSON; empty ones are left out. */
export function* documentsOf({ source, bytes }: ManifestFile): Generator<ManifestDocument> {
  const text = decodeText(bytes);
  if (/^\s*\{/.test(text)) yield* jsonDocuments(source, text);
  else
    for (const part of splitYaml(text)) {
      const value = parsePart(source, part);
      if (value !== null && value !== undefined) yield { source, value };
    }
}

function parsePart(source: string, part: string): unknown {
  try {
    return parseYaml(part);
  } catch (error) {
    throw new CommandError(`error parsing ${source}: ${messageOf(error)}`);
  }
}

/** Byte order marks say how text is encoded. */
function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
}

/** YAML documents are set apart by lines that begin with `---`. */
function splitYaml(text: string): string[] {
  const parts: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (/^---(\s|$)/.test(line)) parts.push([line.slice(3)]);
    else parts.at(-1)?.push(line);
  }
  return parts.map((lines) => lines.join('\n')).filter((part) => part.trim() !== '');
}

function* jsonDocuments(source: string, text: string): Generator<ManifestDocument> {
  for (const part of splitJson(text)) {
    let value: unknown;
    try {
      value = parseJson(part).value;
    } catch (error) {
      throw new CommandError(
        `error parsing ${source}: ${isBalanced(part) ? `json: ${messageOf(error)}` : 'unexpected EOF'}`,
      );
    }
    yield { source, value };
  }
}

/** JSON values that follow each other. */
function splitJson(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let inString = false;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    if (inString) {
      if (letter === '\\') i++;
      else if (letter === '"') inString = false;
    } else if (letter === '"') inString = true;
    else if (letter === '{' || letter === '[') depth++;
    else if (letter === '}' || letter === ']') {
      depth--;
      if (depth === 0) {
        parts.push(text.slice(start, i + 1));
        start = i + 1;
      }
    }
  }
  const rest = text.slice(start).replace(/^[\s]*(---)?/, '');
  if (rest.trim() !== '') parts.push(rest);
  return parts;
}

/** Whether every bracket is closed. */
function isBalanced(text: string): boolean {
  const plain = text.replace(/"(?:[^"\\]|\\.)*"/g, '');
  const count = (pattern: RegExp) => plain.match(pattern)?.length ?? 0;
  return count(/[[{]/g) === count(/[\]}]/g) && !plain.includes('"');
}
