import { parseYaml } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { messageOf } from '../../command/format-error.js';
import { FileError } from '../../host.js';
import { filesOf } from '../../resources/read-manifests.js';
import { type Fields, isRecord } from '../../values.js';

/** The file of the preferences. */
export function kubercPath({ flags, host }: Context): string {
  return flags.string('kuberc') || host.env['KUBERC'] || `${filesOf(host).homeDirectory}/.kube/kuberc`;
}

/** The preferences, or `undefined` if there is no file. */
export async function readKuberc(context: Context): Promise<Fields | undefined> {
  const path = kubercPath(context);
  try {
    const value = parseYaml(await filesOf(context.host).read(path));
    if (!isRecord(value)) throw new CommandError(`error loading kuberc file ${path}: it holds no object`);
    return value;
  } catch (error) {
    if (error instanceof FileError && error.isMissing) return undefined;
    throw new CommandError(`error loading kuberc file ${path}: ${messageOf(error)}`);
  }
}

export const emptyKuberc: Fields = { apiVersion: 'kubectl.config.k8s.io/v1beta1', kind: 'Preference' };
