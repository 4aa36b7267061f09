import { CommandError } from '../command/command-error.js';
import type { Context } from '../command/context.js';
import { findOnPath } from '../find-on-path.js';
import { filesOf } from '../resources/read-manifests.js';

/** Opens a file in the user's editor and waits until it is closed. */
export async function launchEditor({ host }: Context, path: string): Promise<void> {
  const editor = host.env['KUBE_EDITOR'] || host.env['EDITOR'] || 'vi';
  if (!host.processes) throw new CommandError('there is no editor on this platform');
  const needsShell = /["'\\]/.test(editor);
  const words = editor.split(' ').filter(Boolean);
  const program = words[0] ?? '';
  if (!needsShell && !(await isThere(host, program)))
    throw new CommandError(`unable to launch the editor ${JSON.stringify(editor)}`);
  const command = needsShell
    ? [host.env['SHELL'] || '/bin/bash', '-c', `${editor} ${JSON.stringify(path)}`]
    : [...words, path];
  const { exitCode } = await host.processes.run(command, {});
  if (exitCode !== 0) throw new CommandError(`there was a problem with the editor ${JSON.stringify(editor)}`);
}

async function isThere(host: Context['host'], program: string): Promise<boolean> {
  if (program.includes('/')) return (await host.processes?.isExecutable(program)) === true;
  return (await findOnPath(program, host)) !== undefined;
}

/** A file for an edit, with a unique name. */
export async function writeDraft({ host }: Context, text: string, extension: string): Promise<string> {
  const files = filesOf(host);
  const path = `${files.temporaryDirectory}/kubectl-edit-${Math.floor(host.random.next() * 4_000_000_000)}${extension}`;
  await files.write(path, text, 0o600);
  return path;
}
