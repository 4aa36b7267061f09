import { toBase64 } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import { type Context, print, usageError } from '../../command/context.js';
import { directoryOf, resolvePath } from '../../paths.js';
import { formatPrinter } from '../../printers/print-flags.js';
import { filesOf } from '../../resources/read-manifests.js';
import { type Fields, textAt } from '../../values.js';
import { ConfigFiles } from './config-files.js';
import type { NamedEntry, Section } from './entries.js';

export async function run(context: Context): Promise<void> {
  const { flags, args } = context;
  if (args.length > 0) throw usageError(context, `unexpected arguments: [${args.join(' ')}]`);
  if (!flags.bool('merge') && flags.string('kubeconfig') === '')
    throw new CommandError('if merge==false a precise file must to specified');
  const files = await ConfigFiles.load(context);
  const sections = {
    clusters: files.entries('clusters'),
    users: files.entries('users'),
    contexts: files.entries('contexts'),
  };
  const current = flags.string('context') || files.current;
  const shown = flags.bool('minify') ? minified(sections, current) : sections;
  const full = flags.bool('flatten') ? await flattened(context, shown, directoryOf(files.paths[0] ?? '')) : shown;
  const hides = !flags.bool('raw') && !flags.bool('flatten');
  const printer = await formatPrinter(context, flags.string('output') || 'yaml', { keepsOrder: true });
  print(context, printer.print(shownConfig(full, { current, hides })));
}

/** A configuration as `config view` shows it: fields in the order of their types, without secrets on request. */
export function shownConfig(
  full: Sections,
  { current, hides }: { readonly current: string; readonly hides: boolean },
): Fields {
  const list = (section: Section, key: string, order: readonly string[]) =>
    full[section].length === 0
      ? null
      : full[section].map(({ name, entry }) => ({ name, [key]: ordered(hides ? redacted(entry) : entry, order) }));
  return {
    kind: 'Config',
    apiVersion: 'v1',
    clusters: list('clusters', 'cluster', clusterOrder),
    users: list('users', 'user', userOrder),
    contexts: list('contexts', 'context', contextOrder),
    'current-context': current,
  };
}

const clusterOrder = [
  'server',
  'tls-server-name',
  'insecure-skip-tls-verify',
  'certificate-authority',
  'certificate-authority-data',
  'proxy-url',
  'disable-compression',
  'extensions',
];
const userOrder = [
  'client-certificate',
  'client-certificate-data',
  'client-key',
  'client-key-data',
  'token',
  'tokenFile',
  'as',
  'as-uid',
  'as-groups',
  'as-user-extra',
  'username',
  'password',
  'auth-provider',
  'exec',
  'extensions',
];
const contextOrder = ['cluster', 'user', 'namespace', 'extensions'];

/** Fields in the order of the type; what must be there is there. */
function ordered(entry: Fields, order: readonly string[]): Fields {
  const always = order === clusterOrder ? ['server'] : order === contextOrder ? ['cluster', 'user'] : [];
  const result: Fields = {};
  for (const key of order) {
    if (entry[key] !== undefined) result[key] = key === 'exec' ? execForm(entry[key] as Fields) : entry[key];
    else if (always.includes(key)) result[key] = '';
  }
  return result;
}

function execForm(exec: Fields): Fields {
  const {
    command,
    args = null,
    env = null,
    apiVersion,
    installHint,
    provideClusterInfo = false,
    interactiveMode,
  } = exec;
  return {
    command,
    args,
    env,
    apiVersion,
    ...(installHint !== undefined && { installHint }),
    provideClusterInfo,
    ...(interactiveMode !== undefined && { interactiveMode }),
  };
}

function redacted(entry: Fields): Fields {
  const shown = { ...entry };
  for (const key of ['token', 'password']) if (shown[key]) shown[key] = 'REDACTED';
  for (const key of ['certificate-authority-data', 'client-certificate-data', 'client-key-data'])
    if (shown[key]) shown[key] = 'DATA+OMITTED';
  return shown;
}

export type Sections = Record<Section, NamedEntry[]>;

/** The entries of the current context only. */
export function minified(sections: Sections, current: string): Sections {
  if (current === '') throw new CommandError('current-context must exist in order to minify');
  const context = sections.contexts.find(({ name }) => name === current);
  if (!context) throw new CommandError(`cannot locate context ${current}`);
  const pick = (section: Section, name: string, what: string) => {
    const found = sections[section].filter((one) => one.name === name);
    if (found.length === 0 && name !== '') throw new CommandError(`cannot locate ${what} ${name}`);
    return found;
  };
  return {
    clusters: pick('clusters', textAt(context.entry, 'cluster'), 'cluster'),
    users: pick('users', textAt(context.entry, 'user'), 'user'),
    contexts: [context],
  };
}

const embedded = {
  'certificate-authority': 'certificate-authority-data',
  'client-certificate': 'client-certificate-data',
  'client-key': 'client-key-data',
};

/** Files become data. */
async function flattened({ host }: Context, sections: Sections, folder: string): Promise<Sections> {
  const files = filesOf(host);
  const flatten = async (entry: Fields) => {
    const result = { ...entry };
    for (const [pathKey, dataKey] of Object.entries(embedded)) {
      const path = result[pathKey];
      if (typeof path !== 'string') continue;
      result[dataKey] ??= toBase64(await files.read(resolvePath(resolvePath(files.workingDirectory, folder), path)));
      delete result[pathKey];
    }
    return result;
  };
  const all = (list: Sections['clusters']) =>
    Promise.all(list.map(async ({ name, entry }) => ({ name, entry: await flatten(entry) })));
  return { clusters: await all(sections.clusters), users: await all(sections.users), contexts: sections.contexts };
}
