import { isRelaxedEnvVarName } from '@coracle/apimachinery';
import { CommandError, throwCollected } from '../../command/command-error.js';
import { type Context, print, warn } from '../../command/context.js';
import { findOptions } from '../../resources/common-flags.js';
import { findResources, requireResources } from '../../resources/find-resources.js';
import type { Info } from '../../resources/info.js';
import { containersOf, mapContainers, podSpecPath, withPodSpec } from '../../resources/pod-template.js';
import { readAll } from '../../resources/read-manifests.js';
import { parseEnvironment } from '../../resources/read-sources.js';
import { at, type Fields, recordAt, recordsAt, stringMapAt, textAt } from '../../values.js';
import { resolveValue } from './resolve-value.js';
import { patternOf } from './resources.js';
import { noPodTemplate, objectError, updateObjects } from './update-objects.js';

export interface EnvChanges {
  readonly set: readonly Fields[];
  readonly remove: readonly string[];
}

export async function run(context: Context): Promise<void> {
  const { args, flags } = context;
  const isChange = (word: string) => word.includes('=') || (word.endsWith('-') && word !== '');
  const resources = args.filter((word) => !isChange(word));
  if (resources.length === 0 && flags.strings('filename').length === 0)
    throw new CommandError('one or more resources must be specified as <resource> <name> or <resource>/<name>');
  const words = [...args.filter(isChange), ...flags.strings('env')];
  const changes = await changesOf(context, words);
  if (flags.bool('list')) return listVariables(context, resources, changes);
  if (changes.set.length === 0 && changes.remove.length === 0 && flags.string('from') === '') return;
  const pattern = patternOf(flags.string('containers'));
  await updateObjects(context, {
    operation: 'env updated',
    find: { args: resources },
    change: (object, info) => {
      const isMeant = (container: Fields) => pattern.test(textAt(container, 'name'));
      const changed = withPodSpec(object, (spec) => {
        if (!containersOf(spec).some(isMeant)) warnOfContainers(context, info);
        return mapContainers(spec, (container) =>
          isMeant(container) ? withEnv(container, changes, { info, overwrite: flags.bool('overwrite') }) : container,
        );
      });
      if (!changed) throw noPodTemplate(info, object);
      return changed;
    },
  });
}

function warnOfContainers(context: Context, { object = {}, name }: Info): void {
  const pattern = JSON.stringify(context.flags.string('containers'));
  warn(context, `Warning: ${textAt(object, 'kind')}/${name} does not have any containers matching ${pattern}`);
}

async function changesOf(context: Context, words: readonly string[]): Promise<EnvChanges> {
  const set: Fields[] = [];
  const remove: string[] = [];
  for (const word of words) {
    const mark = word.indexOf('=');
    if (word === '-') {
      const text = new TextDecoder().decode(await readAll(context.host));
      for (const [name, value] of parseEnvironment(text, 'STDIN', context.host.env)) set.push({ name, value });
    } else if (mark > 0) {
      const name = word.slice(0, mark);
      const [problem] = isRelaxedEnvVarName(name);
      if (problem) throw new CommandError(`${JSON.stringify(name)} is not a valid key name: ${problem}`);
      set.push({ name, value: word.slice(mark + 1) });
    } else remove.push(word.slice(0, -1));
  }
  return { set: [...set, ...(await imported(context))], remove };
}

/** A variable for each key of a config map or secret. */
async function imported(context: Context): Promise<Fields[]> {
  const { flags, factory } = context;
  const from = flags.string('from');
  if (from === '') return [];
  const infos = await requireResources(factory, { ...(await findOptions(context)), args: [from], filenames: [] });
  const keys = flags.strings('keys');
  return infos.flatMap(({ object = {}, name }) => {
    const kind = textAt(object, 'kind');
    const source = kind === 'Secret' ? 'secretKeyRef' : kind === 'ConfigMap' ? 'configMapKeyRef' : undefined;
    if (!source) throw new CommandError(`unsupported resource specified in --from`);
    return Object.keys(stringMapAt(object, 'data'))
      .sort()
      .filter((key) => keys.length === 0 || keys.includes(key))
      .map((key) => ({ name: variableName(context, key), valueFrom: { [source]: { key, name } } }));
  });
}

function variableName(context: Context, key: string): string {
  const name = key.toUpperCase().replace(/[-.]/g, '_');
  if (name !== key) warn(context, `Warning: key ${key} transferred to ${name}`);
  const prefix = context.flags.string('prefix');
  return prefix !== '' && !name.startsWith(prefix) ? `${prefix}${name}` : name;
}

/** The container with its environment changed; variables that are there keep their place. */
export function withEnv(
  container: Fields,
  { set, remove }: EnvChanges,
  { info, overwrite }: { readonly info: Pick<Info, 'mapping' | 'name'>; readonly overwrite: boolean },
): Fields {
  const env = recordsAt(container, 'env').filter((one) => !remove.includes(textAt(one, 'name')));
  for (const variable of set) {
    const index = env.findIndex((one) => one['name'] === variable['name']);
    const before = env[index];
    if (before && !overwrite && textAt(before, 'value') !== textAt(variable, 'value'))
      throw objectError(
        info,
        `'${textAt(variable, 'name')}' already has a value (${textAt(before, 'value')}), and --overwrite is false`,
      );
    if (index < 0) env.push(variable);
    else env[index] = variable;
  }
  const { env: _, ...rest } = container;
  return env.length === 0 ? rest : { ...rest, env };
}

async function listVariables(context: Context, resources: readonly string[], changes: EnvChanges): Promise<void> {
  const { flags, factory } = context;
  const options = await findOptions(context, { args: resources, latest: !flags.bool('local') });
  const { infos, errors } = await findResources(factory, options);
  throwCollected(errors);
  const pattern = patternOf(flags.string('containers'));
  for (const info of infos) {
    const { object = {}, name, namespace } = info;
    const path = podSpecPath(object);
    if (!path) continue;
    const spec = recordAt(object, ...path);
    const containers = [...recordsAt(spec, 'containers'), ...recordsAt(spec, 'initContainers')];
    const chosen = containers.filter((one) => pattern.test(textAt(one, 'name')));
    if (chosen.length === 0) warnOfContainers(context, info);
    for (const container of chosen) {
      print(context, `# ${textAt(object, 'kind')} ${name}, container ${textAt(container, 'name')}\n`);
      for (const variable of [...recordsAt(container, 'env'), ...changes.set])
        print(context, await variableLine(context, variable, { object, container, namespace }));
    }
  }
}

async function variableLine(
  context: Context,
  variable: Fields,
  place: { readonly object: Fields; readonly container: Fields; readonly namespace: string },
): Promise<string> {
  const name = textAt(variable, 'name');
  const source = at(variable, 'valueFrom');
  if (source === undefined) return `${name}=${textAt(variable, 'value')}\n`;
  if (!context.flags.bool('resolve')) return `# ${name} from ${describeSource(source as Fields)}\n`;
  return `${name}=${await resolveValue(context, source as Fields, place)}\n`;
}

function describeSource(source: Fields): string {
  for (const [field, text] of [
    ['secretKeyRef', 'secret'],
    ['configMapKeyRef', 'configmap'],
  ] as const) {
    const ref = source[field] as Fields | undefined;
    if (ref) return `${text} ${textAt(ref, 'name')}, key ${textAt(ref, 'key')}`;
  }
  const field = textAt(source, 'fieldRef', 'fieldPath');
  if (field !== '') return `field path ${field}`;
  return `resource field ${textAt(source, 'resourceFieldRef', 'containerName')}, ${textAt(source, 'resourceFieldRef', 'resource')}`;
}
