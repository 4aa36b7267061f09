import { parseYamlDocuments } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { filesOf } from '../resources/read-manifests.js';
import { type Fields, formatYaml, isRecord, textAt } from '../values.js';
import type { BuildContext } from './build-context.js';
import { groupVersionOf, kindOf, nameOf } from './resource.js';

/**
 * Runs a plugin that is a program: `$XDG_CONFIG_HOME/kustomize/plugin/GROUP/VERSION/kind/Kind`. It gets its configuration
 * as a file and in its environment, and the objects on standard input, and prints the objects that there should be.
 */
export async function runProgram(plugin: Fields, input: readonly Fields[], context: BuildContext): Promise<Fields[]> {
  const { host, plugins, folder } = context;
  if (textAt(plugin, 'metadata', 'annotations', 'config.kubernetes.io/function') !== '')
    throw new CommandError(`the plugin '${nameOf(plugin)}' is a container function, which cannot be run here`);
  if (!plugins.programs)
    throw new CommandError(
      `external plugins disabled; unable to load external plugin '${kindOf(plugin)}'; --enable-alpha-plugins enables them`,
    );
  if (!host.processes) throw new CommandError('there are no programs on this platform');
  const program = await findPlugin(plugin, context);
  const files = filesOf(host);
  const configuration = formatYaml(plugin);
  const file = `${files.temporaryDirectory}/kust-plugin-config-${host.processId}-${Math.floor(host.random.next() * 1e9)}`;
  await files.write(file, configuration, 0o600);
  try {
    const { exitCode, stdout } = await host.processes.run([program, file], {
      capture: true,
      input: input.map(formatYaml).join('---\n'),
      env: { KUSTOMIZE_PLUGIN_CONFIG_STRING: configuration, KUSTOMIZE_PLUGIN_CONFIG_ROOT: folder },
    });
    if (exitCode !== 0) throw new CommandError(`failure in plugin configured via ${file}; exit status ${exitCode}`);
    return parseYamlDocuments(stdout)
      .map(({ value }) => value)
      .filter(isRecord);
  } finally {
    await files.remove(file);
  }
}

async function findPlugin(plugin: Fields, { host }: BuildContext): Promise<string> {
  const { group, version } = groupVersionOf(plugin);
  const kind = kindOf(plugin);
  const parts = [group, version, kind];
  if (parts.some((part) => part.includes('/') || part === '..'))
    throw new CommandError(`the plugin ${kind} has an unusable apiVersion or kind`);
  const home = filesOf(host).homeDirectory;
  const roots = [
    host.env['KUSTOMIZE_PLUGIN_HOME'],
    `${host.env['XDG_CONFIG_HOME'] || `${home}/.config`}/kustomize/plugin`,
    `${home}/kustomize/plugin`,
  ];
  for (const root of roots) {
    const path = `${root}/${[group, version, kind.toLowerCase(), kind].filter(Boolean).join('/')}`;
    if (root && (await host.processes?.isExecutable(path))) return path;
  }
  throw new CommandError(
    `unable to find plugin ${kind} of ${textAt(plugin, 'apiVersion')} in ${roots.filter(Boolean).join(', ')}`,
  );
}
