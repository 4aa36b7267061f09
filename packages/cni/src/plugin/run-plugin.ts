import { asCniError } from '../cni-error.js';
import { formatResult } from '../result-versions.js';
import { currentVersion, supportedVersions, versionOf } from '../versions.js';
import { bridgePlugin } from './bridge-plugin.js';
import { loopbackPlugin } from './loopback-plugin.js';
import type { PluginHost } from './plugin-host.js';
import { type PluginRequest, parseRequest } from './plugin-request.js';

export interface PluginCall {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: string;
  readonly host: PluginHost;
}

export interface PluginAnswer {
  readonly stdout: string;
  readonly exitCode: 0 | 1;
}

/** Answers one call of the plugin. The type in the configuration says whether it is the bridge or the loopback. */
export function runPlugin({ environment, stdin, host }: PluginCall): PluginAnswer {
  try {
    const request = parseRequest(environment, stdin);
    return { stdout: answer(request, host), exitCode: 0 };
  } catch (error) {
    return { stdout: asCniError(error).toJson(versionFor(stdin)), exitCode: 1 };
  }
}

function answer(request: PluginRequest, host: PluginHost): string {
  const { command, cniVersion } = request;
  if (command === 'VERSION') return JSON.stringify({ cniVersion, supportedVersions });
  const plugin = request.config['type'] === 'loopback' ? loopbackPlugin : bridgePlugin;
  if (command === 'ADD') return JSON.stringify(formatResult(plugin.ADD(request, host), cniVersion));
  plugin[command](request, host);
  return '';
}

/** An error is in the version of the configuration, if that can be read. */
function versionFor(stdin: string): string {
  try {
    return versionOf(JSON.parse(stdin));
  } catch {
    return currentVersion;
  }
}
