import { copyFromPod, copyToPod, exec, type TarEntry } from '@coracle/client';
import { CommandError } from '../command/command-error.js';
import { type Context, warn } from '../command/context.js';
import type { Files } from '../host.js';
import { baseName, cleanPath, directoryOf, joinPath } from '../paths.js';
import { extract } from '../remote/extract.js';
import { chooseContainer, findObject } from '../remote/find-pod.js';
import { filesOf } from '../resources/read-manifests.js';
import { type Fields, textAt } from '../values.js';

interface Place {
  /** Absent for a place on this machine. */
  readonly pod?: string;
  readonly namespace?: string;
  readonly path: string;
}

export async function run(context: Context): Promise<void> {
  const { args } = context;
  if (args.length !== 2) throw new CommandError('source and destination are required');
  const [from, to] = [parsePlace(args[0] ?? ''), parsePlace(args[1] ?? '')];
  if (from.pod && to.pod) throw new CommandError('one of src or dest must be a local file specification');
  if (!from.pod && !to.pod) throw new CommandError('one of src or dest must be a remote file specification');
  if (from.path === '' || to.path === '') throw new CommandError('filepath can not be empty');
  return to.pod ? upload(context, from.path, to) : download(context, from, to.path);
}

/** `[namespace/]pod:path`, or a path. */
function parsePlace(text: string): Place {
  const colon = text.indexOf(':');
  if (colon < 0) return { path: text };
  if (colon === 0) throw new CommandError('filespec must match the canonical format: [[namespace/]pod:]file/path');
  const parts = text.slice(0, colon).split('/');
  const path = text.slice(colon + 1);
  if (parts.length === 1) return { pod: parts[0] ?? '', path };
  if (parts.length === 2) return { namespace: parts[0] ?? '', pod: parts[1] ?? '', path };
  // A path with a colon in a name.
  return { path: text };
}

async function target(context: Context, { pod = '', namespace }: Place): Promise<{ pod: Fields; container: string }> {
  if (namespace) context.flags.set('namespace', namespace);
  const object = await findObject(context, pod);
  return { pod: object, container: chooseContainer(context, object) };
}

async function upload(context: Context, source: string, to: Place): Promise<void> {
  const files = filesOf(context.host);
  await files.stat(source).catch(() => {
    throw new CommandError(`${source} doesn't exist in local filesystem`);
  });
  const { pod, container } = await target(context, to);
  const client = await context.factory.client();
  const where = { namespace: textAt(pod, 'metadata', 'namespace'), pod: textAt(pod, 'metadata', 'name'), container };
  const isFolder = await exec(client, {
    ...where,
    command: ['test', '-d', to.path],
    stdout: () => {},
    stderr: () => {},
  })
    .then(({ exitCode }) => exitCode === 0)
    .catch(() => false);
  const path = isFolder || to.path.endsWith('/') ? joinPath(to.path, baseName(source)) : to.path;
  const entries = await entriesOf(files, source, baseName(path));
  await copyToPod(client, { ...where, path: directoryOf(path), entries });
}

/** A file or folder as the entries of an archive. */
async function entriesOf(files: Files, path: string, name: string): Promise<TarEntry[]> {
  const { kind, mode, modifiedAt } = await files.stat(path);
  const modifiedAtSeconds = Math.floor(modifiedAt / 1000);
  if (kind !== 'directory') return [{ name, type: 'file', mode, modifiedAtSeconds, data: await files.read(path) }];
  const entries: TarEntry[] = [{ name, type: 'directory', mode, modifiedAtSeconds }];
  for (const child of await files.list(path))
    entries.push(...(await entriesOf(files, `${path}/${child}`, `${name}/${child}`)));
  return entries;
}

async function download(context: Context, from: Place, destination: string): Promise<void> {
  const files = filesOf(context.host);
  const { pod, container } = await target(context, from);
  const client = await context.factory.client();
  const where = { namespace: textAt(pod, 'metadata', 'namespace'), pod: textAt(pod, 'metadata', 'name'), container };
  const root = baseName(from.path);
  const isFolder = await files
    .stat(destination)
    .then(({ kind }) => kind === 'directory')
    .catch(() => false);
  const base = isFolder ? joinPath(destination, root) : cleanPath(destination);
  await extract(files, copyFromPod(client, { ...where, path: from.path }), {
    root,
    base,
    onSkipped: (text) => warn(context, text),
  });
}
