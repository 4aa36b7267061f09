import { isRecord, type JsonObject, messageOf } from '@coracle/base';
import { CniError, cniErrorCodes } from './cni-error.js';
import { supportedVersions, versionOf } from './versions.js';

/** The configuration of one plugin of a chain. What a plugin reads beyond these fields is its own. */
export interface PluginConfig extends JsonObject {
  readonly type: string;
}

/** A network: a chain of plugins that an attachment passes in order. */
export interface NetworkConfig {
  readonly name: string;
  readonly cniVersion: string;
  /** CHECK is not called for this network. */
  readonly disableCheck: boolean;
  /** GC is not called for this network. */
  readonly disableGc: boolean;
  readonly plugins: readonly PluginConfig[];
}

const networkName = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;

/** Reads a configuration file: `.conflist` has a chain, `.conf` and `.json` have one plugin. */
export function parseNetworkConfig(text: string, fileName: string): NetworkConfig {
  const value = parseObject(text, fileName);
  return fileName.endsWith('.conflist') ? chainOf(value, fileName) : singleOf(value, fileName);
}

function parseObject(text: string, fileName: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(fileName, `error parsing configuration: ${messageOf(error)}`);
  }
  if (!isRecord(value)) throw invalid(fileName, 'error parsing configuration: not a JSON object');
  return value as JsonObject;
}

function singleOf(value: JsonObject, fileName: string): NetworkConfig {
  const plugin = pluginOf(value, fileName);
  return {
    name: nameOf(value, fileName),
    cniVersion: versionOf(value),
    disableCheck: false,
    disableGc: false,
    plugins: [plugin],
  };
}

function chainOf(value: JsonObject, fileName: string): NetworkConfig {
  const { plugins } = value;
  if (!Array.isArray(plugins)) throw invalid(fileName, "no 'plugins' key");
  if (plugins.length === 0) throw invalid(fileName, 'no plugins in list');
  return {
    name: nameOf(value, fileName),
    cniVersion: chosenVersion(value, fileName),
    disableCheck: booleanOf(value, 'disableCheck', fileName),
    disableGc: booleanOf(value, 'disableGC', fileName),
    plugins: plugins.map((plugin) => {
      if (!isRecord(plugin)) throw invalid(fileName, 'a plugin is not a JSON object');
      return pluginOf(plugin as JsonObject, fileName);
    }),
  };
}

function pluginOf(value: JsonObject, fileName: string): PluginConfig {
  const { type } = value;
  if (typeof type !== 'string' || type === '') throw invalid(fileName, "missing 'type'");
  if (type.includes('/')) throw invalid(fileName, `invalid plugin type ${JSON.stringify(type)}`);
  return { ...value, type };
}

function nameOf({ name }: JsonObject, fileName: string): string {
  if (typeof name !== 'string' || name === '') throw invalid(fileName, "missing 'name'");
  if (!networkName.test(name)) throw invalid(fileName, `invalid network name ${JSON.stringify(name)}`);
  return name;
}

/** `cniVersions` offers several: the newest supported one is used. */
function chosenVersion(value: JsonObject, fileName: string): string {
  const { cniVersions } = value;
  if (cniVersions === undefined) return versionOf(value);
  if (!Array.isArray(cniVersions)) throw invalid(fileName, "'cniVersions' is not a list");
  const offered = value['cniVersion'] === undefined ? cniVersions : [...cniVersions, value['cniVersion']];
  const commonVersions = supportedVersions.filter((version) => offered.includes(version));
  const newest = commonVersions.at(-1);
  if (!newest) throw new CniError(cniErrorCodes.incompatibleVersion, `${fileName}: none of cniVersions is supported`);
  return newest;
}

function booleanOf(value: JsonObject, field: string, fileName: string): boolean {
  const flag = value[field];
  if (flag === undefined || typeof flag === 'boolean') return flag ?? false;
  // Written as a text by some, as in the reference library.
  if (flag === 'true' || flag === 'false') return flag === 'true';
  throw invalid(fileName, `'${field}' is not a boolean`);
}

function invalid(fileName: string, message: string): CniError {
  return new CniError(cniErrorCodes.invalidNetworkConfig, `${fileName}: ${message}`);
}
