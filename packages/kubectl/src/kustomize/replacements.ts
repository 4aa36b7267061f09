import { parseYaml } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { type Fields, isRecord, recordAt, recordsAt, textAt, textsAt } from '../values.js';
import type { BuildContext } from './build-context.js';
import { readBelow } from './loader.js';
import type { KustomizeResource } from './resource.js';
import { selects } from './selectors.js';

/** Copies values from one object to others. */
export async function applyReplacements(
  resources: readonly KustomizeResource[],
  config: Fields,
  context: Pick<BuildContext, 'host' | 'folder' | 'restricted'>,
): Promise<void> {
  for (const entry of recordsAt(config, 'replacements')) {
    const path = textAt(entry, 'path');
    const loaded =
      path === '' ? entry : parseYaml(await readBelow(context.host, context.folder, path, context.restricted));
    for (const replacement of Array.isArray(loaded) ? loaded.filter(isRecord) : isRecord(loaded) ? [loaded] : [])
      replace(resources, replacement);
  }
}

function replace(resources: readonly KustomizeResource[], replacement: Fields): void {
  const source = recordAt(replacement, 'source');
  const value = textAt(replacement, 'sourceValue') || sourceValue(resources, source);
  for (const target of recordsAt(replacement, 'targets')) {
    const rejects = recordsAt(target, 'reject');
    const chosen = resources.filter(
      (one) => selects(recordAt(target, 'select'), one) && !rejects.some((reject) => selects(reject, one)),
    );
    const paths = textsAt(target, 'fieldPaths');
    for (const resource of chosen)
      for (const path of paths.length > 0 ? paths : ['metadata.name'])
        resource.object = setPath(resource.object, steps(path), {
          value,
          options: recordAt(target, 'options'),
          path,
        }) as Fields;
  }
}

function sourceValue(resources: readonly KustomizeResource[], source: Fields): unknown {
  const found = resources.filter((one) => selects(source, one));
  if (found.length === 0) throw new CommandError(`nothing selected by ${describe(source)}`);
  if (found.length > 1) throw new CommandError(`multiple matches for selector ${describe(source)}`);
  const path = textAt(source, 'fieldPath') || 'metadata.name';
  let value: unknown = found[0]?.object;
  for (const step of steps(path)) value = child(value, step);
  if (value === undefined)
    throw new CommandError(`fieldPath \`${path}\` is missing for replacement source ${describe(source)}`);
  const options = recordAt(source, 'options');
  const delimiter = textAt(options, 'delimiter');
  if (delimiter === '' || typeof value !== 'string') return value;
  const part = value.split(delimiter)[Number(options['index'] ?? 0)];
  if (part === undefined)
    throw new CommandError(`options.index ${textAt(options, 'index')} is out of bounds for value ${value}`);
  return part;
}

function describe(source: Fields): string {
  return `${textAt(source, 'kind')}.${textAt(source, 'version') || '[noVer]'}.${textAt(source, 'group') || '[noGrp]'}/${textAt(source, 'name')}.${textAt(source, 'namespace') || '[noNs]'}:${textAt(source, 'fieldPath')}`;
}

/** `spec.containers.[name=web].env.0.value`; brackets pick the items of a list, a backslash keeps a dot. */
function steps(path: string): string[] {
  return (path.match(/\[[^\]]*\]|(?:\\.|[^.\\])+/g) ?? []).map((step) =>
    step.startsWith('[') ? step : step.replace(/\\(.)/g, '$1'),
  );
}

function child(value: unknown, step: string): unknown {
  if (Array.isArray(value)) {
    const match = /^\[(.+?)=(.*)\]$/.exec(step);
    if (match) return value.find((item) => isRecord(item) && String(item[match[1] ?? '']) === match[2]);
    return value[Number(step)];
  }
  return isRecord(value) ? value[step] : undefined;
}

interface Setting {
  readonly value: unknown;
  readonly options: Fields;
  readonly path: string;
}

function setPath(target: unknown, path: readonly string[], setting: Setting): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return newValue(target, setting);
  if (Array.isArray(target)) {
    const match = /^\[(.+?)=(.*)\]$/.exec(step);
    const picks = (item: unknown, i: number) =>
      step === '*' || (match ? isRecord(item) && String(item[match[1] ?? '']) === match[2] : String(i) === step);
    if (!target.some(picks)) {
      if (setting.options['create'] === true && match)
        return [...target, setPath({ [match[1] ?? '']: match[2] }, rest, setting)];
      throw missing(setting);
    }
    return target.map((item, i) => (picks(item, i) ? setPath(item, rest, setting) : item));
  }
  if (!isRecord(target)) {
    if (setting.options['create'] === true) return setPath({}, path, setting);
    throw missing(setting);
  }
  if (step === '*')
    return Object.fromEntries(Object.entries(target).map(([key, item]) => [key, setPath(item, rest, setting)]));
  if (!(step in target) && setting.options['create'] !== true) throw missing(setting);
  return { ...target, [step]: setPath(target[step], rest, setting) };
}

function missing({ path }: Setting): CommandError {
  return new CommandError(`unable to find field ${JSON.stringify(path)} in replacement target`);
}

function newValue(before: unknown, { value, options }: Setting): unknown {
  const delimiter = textAt(options, 'delimiter');
  if (delimiter === '') return value;
  const parts = String(before ?? '').split(delimiter);
  const index = Number(options['index'] ?? 0);
  if (index < 0) parts.unshift(String(value));
  else if (index >= parts.length) parts.push(String(value));
  else parts[index] = String(value);
  return parts.join(delimiter);
}
