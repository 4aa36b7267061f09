import { parseYamlDocuments } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { messageOf } from '../command/format-error.js';
import { resolvePath } from '../paths.js';
import { filesOf } from '../resources/read-manifests.js';
import { type Fields, formatYaml, isRecord, textAt, textsAt } from '../values.js';
import type { BuildContext } from './build-context.js';
import { readBelow } from './loader.js';
import { type KustomizeResource, newResource } from './resource.js';

/** Has Helm render a chart, if Helm may be run. */
export async function inflateChart(
  chart: Fields,
  globals: Fields,
  context: BuildContext,
): Promise<KustomizeResource[]> {
  if (!context.plugins.helm) throw new CommandError('must specify --enable-helm');
  const name = textAt(chart, 'name');
  if (name === '') throw new CommandError('chart name cannot be empty');
  const home = resolvePath(context.folder, textAt(chart, 'chartHome') || textAt(globals, 'chartHome') || 'charts');
  const version = textAt(chart, 'version');
  const plain = `${home}/${name}`;
  const folder = version === '' || (await isFolder(plain, context)) ? plain : `${home}/${name}-${version}/${name}`;
  if (!(await isFolder(folder, context))) await pull(chart, folder.slice(0, -name.length - 1), context);
  const files = await valuesFiles(chart, folder, context);
  try {
    const text = await helm(templateArguments(chart, { folder, files, context }), context);
    return parseYamlDocuments(text)
      .map(({ value }) => value)
      .filter(isRecord)
      .map((object) => newResource(object));
  } finally {
    for (const { path, temporary } of files) if (temporary) await filesOf(context.host).remove(path);
  }
}

interface ValuesFile {
  readonly path: string;
  readonly temporary: boolean;
}

interface Rendering {
  readonly folder: string;
  readonly files: readonly ValuesFile[];
  readonly context: BuildContext;
}

function templateArguments(chart: Fields, { folder, files, context }: Rendering): string[] {
  const { helmApiVersions = [], helmKubeVersion = '', helmDebug = false } = context.plugins;
  const release = textAt(chart, 'releaseName');
  const flag = (name: string, value: string) => (value === '' ? [] : [name, value]);
  return [
    'template',
    ...(release === '' ? ['--generate-name'] : [release]),
    folder,
    ...flag('--namespace', textAt(chart, 'namespace')),
    ...flag('--name-template', textAt(chart, 'nameTemplate')),
    ...files.flatMap(({ path }) => ['-f', path]),
    ...[...helmApiVersions, ...textsAt(chart, 'apiVersions')].flatMap((one) => ['--api-versions', one]),
    ...flag('--kube-version', helmKubeVersion || textAt(chart, 'kubeVersion')),
    ...(chart['includeCRDs'] === true ? ['--include-crds'] : []),
    ...(chart['skipTests'] === true ? ['--skip-tests'] : []),
    ...(chart['skipHooks'] === true ? ['--no-hooks'] : []),
    ...(chart['debug'] === true || helmDebug ? ['--debug'] : []),
  ];
}

async function pull(chart: Fields, folder: string, context: BuildContext): Promise<void> {
  const [name, repo, version] = [textAt(chart, 'name'), textAt(chart, 'repo'), textAt(chart, 'version')];
  if (repo === '') throw new CommandError(`no repo specified for pull, no chart found at '${folder}/${name}'`);
  const source = repo.startsWith('oci://') ? [`${repo.replace(/\/$/, '')}/${name}`] : ['--repo', repo, name];
  const options = ['--untar', '--untardir', folder, ...(version === '' ? [] : ['--version', version])];
  await helm(['pull', ...options, ...source], context);
}

/** The files with the values of a chart, those in place among them. */
async function valuesFiles(chart: Fields, folder: string, context: BuildContext): Promise<ValuesFile[]> {
  const named = [textAt(chart, 'valuesFile'), ...textsAt(chart, 'additionalValuesFiles')].filter(Boolean);
  // Reading them says whether they may be read.
  for (const path of named)
    if (!resolvePath(context.folder, path).startsWith(`${folder}/`))
      await readBelow(context.host, context.folder, path, context.restricted);
  const files = named.map((path) => ({ path: resolvePath(context.folder, path), temporary: false }));
  const inline = chart['valuesInline'];
  if (!isRecord(inline)) return files;
  const { host } = context;
  const path = `${filesOf(host).temporaryDirectory}/kustomize-helm-${host.processId}-${Math.floor(host.random.next() * 1e9)}.yaml`;
  await filesOf(host).write(path, formatYaml(inline), 0o600);
  const own = { path, temporary: true };
  return textAt(chart, 'valuesMerge') === 'merge' ? [own, ...files] : [...files, own];
}

async function helm(args: readonly string[], { host, plugins }: BuildContext): Promise<string> {
  const command = plugins.helmCommand || 'helm';
  if (!host.processes) throw new CommandError('there are no programs on this platform');
  let result: { readonly exitCode: number; readonly stdout: string };
  try {
    result = await host.processes.run([command, ...args], { capture: true });
  } catch (error) {
    throw new CommandError(`unable to run ${JSON.stringify(command)}: ${messageOf(error)}; is Helm installed?`);
  }
  if (result.exitCode !== 0)
    throw new CommandError(`unable to run: '${command} ${args.join(' ')}': exit status ${result.exitCode}`);
  return result.stdout;
}

function isFolder(path: string, { host }: BuildContext): Promise<boolean> {
  return filesOf(host)
    .stat(path)
    .then(({ kind }) => kind === 'directory')
    .catch(() => false);
}
