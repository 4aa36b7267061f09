import { seededRandom, VirtualClock } from '@coracle/base';
import { FileError, type Files, type Host } from '../host.js';

/** A machine that is all in memory. */
export interface MemoryHost extends Host {
  readonly out: () => string;
  readonly err: () => string;
}

export function memoryHost(files: Record<string, string> = {}, stdin = ''): MemoryHost {
  const text = { out: '', err: '' };
  const output = (key: 'out' | 'err') => ({
    isTerminal: false,
    write: (chunk: string | Uint8Array) => {
      text[key] += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
    },
  });
  return {
    stdin: {
      isTerminal: false,
      async *chunks() {
        yield new TextEncoder().encode(stdin);
      },
    },
    stdout: output('out'),
    stderr: output('err'),
    env: {},
    clock: new VirtualClock({ startAt: Date.UTC(2026, 0, 1) }),
    random: seededRandom(1),
    interrupted: new AbortController().signal,
    platform: 'linux/amd64',
    processId: 1,
    connect: () => Promise.reject(new Error('no network')),
    files: memoryFiles(files),
    out: () => text.out,
    err: () => text.err,
  };
}

function memoryFiles(content: Record<string, string>): Files {
  const full = (path: string) => (path.startsWith('/') ? path : `/project/${path}`);
  const isFolder = (path: string) => Object.keys(content).some((name) => name.startsWith(`${full(path)}/`));
  return {
    workingDirectory: '/project',
    homeDirectory: '/home',
    temporaryDirectory: '/tmp',
    async read(path) {
      const found = content[full(path)];
      if (found === undefined) throw new FileError('open', path, 'no such file or directory');
      return new TextEncoder().encode(found);
    },
    async write(path, text) {
      content[full(path)] = typeof text === 'string' ? text : new TextDecoder().decode(text);
    },
    async stat(path) {
      if (content[full(path)] !== undefined) return { kind: 'file', mode: 0o644, modifiedAt: 0 };
      if (isFolder(path)) return { kind: 'directory', mode: 0o755, modifiedAt: 0 };
      throw new FileError('stat', path, 'no such file or directory');
    },
    async list(path) {
      const prefix = `${full(path)}/`;
      const below = Object.keys(content).filter((name) => name.startsWith(prefix));
      return [...new Set(below.map((name) => name.slice(prefix.length).split('/')[0] ?? ''))].sort();
    },
    async makeDirectory() {},
    async remove(path) {
      delete content[full(path)];
    },
    async resolveLinks(path) {
      if (content[path] === undefined && !isFolder(path))
        throw new FileError('lstat', path, 'no such file or directory');
      return path;
    },
  };
}
