import { CommandError } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { buildKustomization } from '../kustomize/build.js';
import { baseName, joinPath } from '../paths.js';
import { filesOf } from '../resources/read-manifests.js';
import { type Fields, formatYaml, textAt } from '../values.js';

export async function run(context: Context): Promise<void> {
  const { args, flags, host } = context;
  if (args.length > 1) throw new CommandError('specify one path to kustomization.yaml');
  const restrictor = flags.string('load-restrictor');
  if (!['LoadRestrictionsRootOnly', 'LoadRestrictionsNone'].includes(restrictor))
    throw new CommandError(
      `illegal flag value --load-restrictor ${restrictor}; legal values: [LoadRestrictionsRootOnly LoadRestrictionsNone]`,
    );
  const objects = await buildKustomization(host, args[0] ?? '.', {
    restricted: restrictor === 'LoadRestrictionsRootOnly',
    plugins: {
      helm: flags.bool('enable-helm'),
      helmCommand: flags.string('helm-command'),
      helmApiVersions: flags.strings('helm-api-versions'),
      helmKubeVersion: flags.string('helm-kube-version'),
      helmDebug: flags.bool('helm-debug'),
      programs: flags.bool('enable-alpha-plugins'),
    },
  });
  const output = flags.string('output');
  if (output === '') return print(context, objects.map(formatYaml).join('---\n'));
  const files = filesOf(host);
  const isFolder = await files
    .stat(output)
    .then(({ kind }) => kind === 'directory')
    .catch(() => false);
  if (!isFolder) return files.write(output, objects.map(formatYaml).join('---\n'));
  for (const object of objects) await files.write(joinPath(output, fileName(object)), formatYaml(object));
}

function fileName(object: Fields): string {
  const apiVersion = textAt(object, 'apiVersion').replace('/', '_');
  return `${baseName([apiVersion, textAt(object, 'kind'), textAt(object, 'metadata', 'name')].join('_')).toLowerCase()}.yaml`;
}
