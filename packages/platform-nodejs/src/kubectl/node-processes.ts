import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import type { Processes } from '@coracle/kubectl';

/** The programs of this machine. */
export function nodeProcesses(): Processes {
  return {
    run: (command, { env = {}, capture = false, input }) =>
      new Promise((resolve, reject) => {
        const [program = '', ...args] = command;
        const child = spawn(program, args, {
          stdio: [input === undefined ? 'inherit' : 'pipe', capture ? 'pipe' : 'inherit', 'inherit'],
          env: { ...process.env, ...env },
        });
        const chunks: Buffer[] = [];
        child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
        // A program may end before it has read everything.
        child.stdin?.on('error', () => undefined);
        child.stdin?.end(input);
        child.on('error', reject);
        child.on('close', (code) => resolve({ exitCode: code ?? 1, stdout: Buffer.concat(chunks).toString('utf8') }));
      }),
    isExecutable: async (path) => {
      try {
        await access(path, constants.X_OK);
        const found = await stat(path);
        // Root may execute everything: the mode shows whether the file is executable.
        return found.isFile() && (found.mode & 0o111) !== 0;
      } catch {
        return false;
      }
    },
  };
}
