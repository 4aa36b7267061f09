import { CniError, cniErrorCodes } from './cni-error.js';

/** Versions of the specification that the runner and the plugin support, oldest first. */
export const supportedVersions = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'] as const;

export const currentVersion = '1.1.0';

/** The version of a configuration; one that names none means 0.1.0. */
export function versionOf(config: { readonly cniVersion?: unknown }): string {
  const version = config.cniVersion === undefined || config.cniVersion === '' ? '0.1.0' : config.cniVersion;
  if (typeof version === 'string' && supportedVersions.some((one) => one === version)) return version;
  throw new CniError(
    cniErrorCodes.incompatibleVersion,
    'incompatible CNI versions',
    `config is ${JSON.stringify(version)}, plugin supports ${JSON.stringify(supportedVersions)}`,
  );
}

/** Whether `version` has what `since` brought. Both are supported versions. */
export function isAtLeast(version: string, since: (typeof supportedVersions)[number]): boolean {
  const versions: readonly string[] = supportedVersions;
  return versions.indexOf(version) >= versions.indexOf(since);
}
