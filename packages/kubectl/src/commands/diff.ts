import { isConflict, isNotFound } from '@coracle/apimachinery';
import { CommandError, ExitCode, throwCollected } from '../command/command-error.js';
import { type Context, print, usageError } from '../command/context.js';
import { formatError } from '../command/format-error.js';
import { findOnPath } from '../find-on-path.js';
import type { Files } from '../host.js';
import { logWarning } from '../klog.js';
import { typedName } from '../printers/name-printer.js';
import { withoutManagedFields } from '../printers/object-printer.js';
import { fieldManagerOf, findOptions, requireFiles } from '../resources/common-flags.js';
import { findResources } from '../resources/find-resources.js';
import { goKind, groupOf, type Info } from '../resources/info.js';
import { lastAppliedAnnotation } from '../resources/last-applied.js';
import { filesOf } from '../resources/read-manifests.js';
import { RequestHelper } from '../resources/request-helper.js';
import { type Fields, formatYaml, recordAt, stringMapAt, textAt } from '../values.js';
import { threeWayPatch } from './apply/client-side.js';
import { ownersOfChanges } from './diff-owners.js';

/** Exit codes: 0 no difference, 1 differences, more than 1 a failure. */
export async function run(context: Context): Promise<void> {
  try {
    await diff(context);
  } catch (error) {
    if (error instanceof ExitCode) throw error;
    context.host.stderr.write(`${formatError(error)}\n`);
    throw new ExitCode(2);
  }
}

async function diff(context: Context): Promise<void> {
  const { args, factory, host } = context;
  if (args.length > 0) throw usageError(context, `Unexpected args: [${args.join(' ')}]`);
  requireFiles(context);
  const files = filesOf(host);
  const { infos, errors } = await findResources(factory, await findOptions(context));
  throwCollected(errors);
  const suffix = () => Math.floor(host.random.next() * 4_000_000_000);
  const [live, merged] = [
    `${files.temporaryDirectory}/LIVE-${suffix()}`,
    `${files.temporaryDirectory}/MERGED-${suffix()}`,
  ];
  try {
    await files.makeDirectory(live);
    await files.makeDirectory(merged);
    const results: Fields[] = [];
    const owners: string[] = [];
    for (const info of infos) {
      const pair = await versionsOf(context, info);
      results.push(pair.merged);
      await writePair(context, pair, { live, merged, files });
      if (context.flags.bool('owners') && pair.live) owners.push(...ownerLines(pair.live, pair.merged));
    }
    await addPruned(context, results, { live, files });
    const exitCode = await compare(context, live, merged);
    print(context, owners.map((line) => `${line}\n`).join(''));
    throw new ExitCode(exitCode);
  } finally {
    await files.remove(live);
    await files.remove(merged);
  }
}

/** The managers of differing fields, below the name of the object. */
function ownerLines(live: Fields, merged: Fields): string[] {
  const lines = ownersOfChanges(live, merged);
  return lines.length === 0 ? [] : [`# ${typedName(merged)}`, ...lines.map((line) => `#   ${line}`)];
}

export interface Pair {
  readonly live: Fields | undefined;
  readonly merged: Fields;
}

/** The live object, and the object after the change. */
export async function versionsOf(context: Context, info: Info): Promise<Pair> {
  const helper = new RequestHelper(await context.factory.client());
  const object = withoutLastApplied(info.object ?? {});
  const live = await helper.get(info).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const parameters = { dryRun: true, fieldManager: fieldManagerOf(context) };
  if (context.flags.bool('server-side')) {
    const force = context.flags.bool('force-conflicts');
    try {
      return {
        live,
        merged: await helper.patch(
          info,
          { type: 'apply', body: object },
          {
            ...parameters,
            fieldManager: context.flags.changed('field-manager') ? parameters.fieldManager : 'kubectl',
            ...(force && { force }),
          },
        ),
      };
    } catch (error) {
      if (isConflict(error) && info.mapping)
        logWarning(
          context.host,
          'diff.go:723',
          `Object (${goKind(info.mapping)}: ${info.name}) keeps changing, diffing without lock`,
        );
      throw error;
    }
  }
  if (!live) return { live, merged: await helper.create(info, object, parameters) };
  const patch = await threeWayPatch(live, object, true);
  return { live, merged: await helper.patch(info, patch, parameters) };
}

function withoutLastApplied(object: Fields): Fields {
  const { [lastAppliedAnnotation]: _, ...annotations } = stringMapAt(object, 'metadata', 'annotations');
  return { ...object, metadata: { ...recordAt(object, 'metadata'), annotations } };
}

interface Folders {
  readonly live: string;
  readonly merged: string;
  readonly files: Files;
}

async function writePair({ flags }: Context, pair: Pair, { live, merged, files }: Folders): Promise<void> {
  const isSecret = textAt(pair.merged, 'kind') === 'Secret' && groupOf(textAt(pair.merged, 'apiVersion')) === '';
  const masked = isSecret && !flags.bool('show-secrets') ? maskSecrets(pair) : pair;
  const shown = (object: Fields) => (flags.bool('show-managed-fields') ? object : withoutManagedFields(object));
  const name = fileName(pair.merged);
  if (masked.live) await files.write(`${live}/${name}`, formatYaml(shown(masked.live)));
  else if (isSecret && !flags.bool('show-secrets')) await files.write(`${live}/${name}`, 'null\n');
  await files.write(`${merged}/${name}`, formatYaml(shown(masked.merged)));
}

function fileName(object: Fields): string {
  const apiVersion = textAt(object, 'apiVersion').replace('/', '.');
  return [
    apiVersion,
    textAt(object, 'kind'),
    textAt(object, 'metadata', 'namespace'),
    textAt(object, 'metadata', 'name'),
  ].join('.');
}

/** Values of secrets are not shown; whether they differ is. */
function maskSecrets({ live, merged }: Pair): Pair {
  const [before, after] = [stringMapAt(live, 'data'), stringMapAt(merged, 'data')];
  const mask = (own: Record<string, string>, other: Record<string, string>, word: string) =>
    Object.fromEntries(
      Object.keys(own).map((key) => [
        key,
        other[key] !== undefined && other[key] !== own[key] ? `*** (${word})` : '***',
      ]),
    );
  const masked = (object: Fields, data: Fields) => (Object.keys(data).length > 0 ? { ...object, data } : object);
  return {
    live: live && masked(live, mask(before, after, 'before')),
    merged: masked(merged, mask(after, before, 'after')),
  };
}

async function addPruned(
  context: Context,
  results: readonly Fields[],
  { live, files }: Pick<Folders, 'live' | 'files'>,
): Promise<void> {
  if (!context.flags.bool('prune')) return;
  const { findVictims, prunableKinds } = await import('./apply/prune.js');
  for (const { object } of await findVictims(context, await prunableKinds(context), results))
    await files.write(`${live}/${fileName(object)}`, formatYaml(withoutManagedFields(object)));
}

/** Runs `diff -u -N`, or the program of the environment. */
async function compare(context: Context, live: string, merged: string): Promise<number> {
  const { host, flags } = context;
  const external = host.env['KUBECTL_EXTERNAL_DIFF'];
  const words = external
    ? external.split(' ').filter((word, i) => i === 0 || /^[a-zA-Z0-9=-]+$/.test(word))
    : ['diff', '-u', '-N'];
  const [program = ''] = words;
  if (!host.processes) throw new CommandError('there are no programs on this platform');
  const found = program.includes('/')
    ? await host.processes.isExecutable(program)
    : (await findOnPath(program, host)) !== undefined;
  if (!found) throw new CommandError(`failed to run ${JSON.stringify(program)}: executable file not found in $PATH`);
  const colours = flags.bool('color');
  const { exitCode, stdout } = await host.processes.run([...words, live, merged], colours ? { capture: true } : {});
  if (colours) print(context, coloured(stdout));
  return exitCode > 1 ? 2 : exitCode;
}

/** Lines that go are red, lines that come green, as git shows them. */
function coloured(text: string): string {
  const colourOf = (line: string) => {
    if (/^(?:diff|---|\+\+\+) /.test(line)) return '1';
    if (line.startsWith('@@')) return '36';
    if (line.startsWith('-')) return '31';
    return line.startsWith('+') ? '32' : '';
  };
  return text.replace(/^.+$/gm, (line) => {
    const colour = colourOf(line);
    return colour === '' ? line : `\u001b[${colour}m${line}\u001b[0m`;
  });
}
