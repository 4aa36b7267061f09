import { parseYaml, StatusError } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { type Context, warn } from '../command/context.js';
import { messageOf } from '../command/format-error.js';
import { formatKyaml } from '../printers/kyaml.js';
import { withoutManagedFields } from '../printers/object-printer.js';
import { type Info, quotedName } from '../resources/info.js';
import { filesOf } from '../resources/read-manifests.js';
import { type Fields, formatYaml, goJson, isRecord, recordsAt, sortKeys } from '../values.js';
import { launchEditor, writeDraft } from './editor.js';

export interface EditSession {
  readonly infos: readonly Info[];
  /** The text of an object for the editor. */
  readonly shown: (info: Info) => Fields;
  /** Saves an edited object; a failure opens the editor again. */
  readonly save: (info: Info, edited: Fields, original: Fields) => Promise<void>;
}

const intro = [
  "# Please edit the object below. Lines beginning with a '#' will be ignored,",
  '# and an empty file will abort the edit. If an error occurs while saving this file will be',
  '# reopened with the relevant failures.',
  '#',
];

/** The user edits objects until they are saved, or nothing is changed. Edits are never lost. */
export async function runEditSession(context: Context, session: EditSession): Promise<void> {
  const { flags } = context;
  const format = formatOf(flags.string('output'));
  const originals = session.infos.map((info) => session.shown(info));
  let text = textOf(originals, format);
  let problems: readonly string[] = [];
  let savedPath: string | undefined;
  for (;;) {
    const draft = `${format === 'json' ? '' : headOf(problems)}${text}`;
    const written = flags.bool('windows-line-endings') ? draft.replace(/\n/g, '\r\n') : draft;
    const path = await writeDraft(context, written, `.${format === 'json' ? 'json' : 'yaml'}`);
    if (savedPath) await filesOf(context.host).remove(savedPath);
    savedPath = path;
    await launchEditor(context, path).catch((error: unknown) => {
      if (problems.length > 0) tellCopy(context, path);
      throw error;
    });
    const raw = new TextDecoder().decode(await filesOf(context.host).read(path));
    const edited = stripped(raw.replace(/\r\n/g, '\n'), format);
    if (edited === stripped(draft, format)) return giveUp(context, path, problems.length > 0);
    problems = await attempt(context, session, { edited, originals });
    if (problems.length === 0) {
      await filesOf(context.host).remove(path);
      return;
    }
    text = edited;
  }
}

type Format = 'yaml' | 'json' | 'kyaml';

function formatOf(output: string): Format {
  if (output === '' || output === 'yaml') return 'yaml';
  if (output === 'json' || output === 'kyaml') return output;
  throw new CommandError(
    `unable to match a printer suitable for the output format ${JSON.stringify(output)}, allowed formats are: json,kyaml,yaml`,
  );
}

/** Checks that `-o` names a form that can be edited. */
export function checkEditFormat({ flags }: Context): void {
  formatOf(flags.string('output'));
}

function textOf(objects: readonly Fields[], format: Format): string {
  const [only] = objects;
  const value = objects.length === 1 ? only : { apiVersion: 'v1', items: objects, kind: 'List', metadata: {} };
  if (format === 'json') return `${goJson(sortKeys(value), 4)}\n`;
  return format === 'kyaml' ? formatKyaml(value) : formatYaml(value);
}

function headOf(problems: readonly string[]): string {
  const lines = problems.flatMap((problem) => problem.split('\n').map((line) => `# ${line}`));
  return [...intro, ...(lines.length > 0 ? [...lines, '#'] : []), ''].join('\n');
}

function stripped(text: string, format: Format): string {
  if (format === 'json') return text;
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n');
}

async function giveUp(context: Context, path: string, failed: boolean): Promise<void> {
  if (!failed) {
    await filesOf(context.host).remove(path);
    warn(context, 'Edit cancelled, no changes made.');
    return;
  }
  tellCopy(context, path);
  throw new CommandError('Edit cancelled, no valid changes were saved.');
}

function tellCopy(context: Context, path: string): void {
  warn(context, `A copy of your changes has been stored to ${JSON.stringify(path)}`);
}

interface Attempt {
  readonly edited: string;
  readonly originals: readonly Fields[];
}

/** Saves the edited objects; returns the errors. */
async function attempt(context: Context, session: EditSession, { edited, originals }: Attempt): Promise<string[]> {
  let objects: Fields[];
  try {
    const value = parseYaml(edited);
    if (!isRecord(value)) throw new CommandError('The edited file had a syntax error: it holds no object');
    objects = Array.isArray(value['items']) ? recordsAt(value, 'items') : [value];
  } catch (error) {
    for (const info of session.infos) warn(context, `error: ${quotedName(info)} is invalid`);
    return [`The edited file failed validation: ${messageOf(error)}`];
  }
  const problems: string[] = [];
  for (const [i, info] of session.infos.entries()) {
    const after = objects[i];
    const before = originals[i] ?? {};
    if (!after) continue;
    try {
      await session.save(info, after, before);
    } catch (error) {
      problems.push(...problemOf(context, info, error));
    }
  }
  return problems;
}

function problemOf(context: Context, info: Info, error: unknown): string[] {
  const name = quotedName(info);
  if (error instanceof StatusError && error.status.reason === 'Invalid') {
    warn(context, `error: ${name} is invalid`);
    const causes = (error.status.details?.causes ?? []).map(({ field, message }) => `* ${field}: ${message}`);
    return [`${name} was not valid:`, ...(causes.length > 0 ? causes : [error.message])];
  }
  warn(context, `error: ${name} could not be patched: ${messageOf(error)}`);
  return [`${name} could not be patched: ${messageOf(error)}`];
}

export function withoutManaged(object: Fields, context: Context): Fields {
  return context.flags.bool('show-managed-fields') ? object : { ...withoutManagedFields(object) };
}
