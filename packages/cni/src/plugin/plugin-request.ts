import { isRecord, type JsonObject } from '@coracle/base';
import { CniError, cniErrorCodes } from '../cni-error.js';
import { currentVersion, versionOf } from '../versions.js';

const pluginCommands = ['ADD', 'DEL', 'CHECK', 'STATUS', 'GC', 'VERSION'] as const;
export type PluginCommand = (typeof pluginCommands)[number];

/** A request of the runtime to the plugin: its environment and standard input. */
export interface PluginRequest {
  readonly command: PluginCommand;
  readonly cniVersion: string;
  readonly containerId: string;
  /** Empty where DEL comes without one. */
  readonly netns: string;
  readonly ifName: string;
  readonly config: JsonObject;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Which variables a command needs, as in the specification. */
const needed: Readonly<Record<PluginCommand, readonly string[]>> = {
  ADD: ['CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME'],
  DEL: ['CNI_CONTAINERID', 'CNI_IFNAME'],
  CHECK: ['CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME'],
  STATUS: [],
  GC: [],
  VERSION: [],
};

export function parseRequest(environment: Environment, stdin: string): PluginRequest {
  const command = commandOf(environment);
  const missing = needed[command].filter((name) => !environment[name]);
  if (missing.length > 0)
    throw new CniError(cniErrorCodes.invalidEnvironment, `required env variables ${JSON.stringify(missing)} missing`);
  const containerId = environment['CNI_CONTAINERID'] ?? '';
  const ifName = environment['CNI_IFNAME'] ?? '';
  if (containerId && !/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(containerId))
    throw new CniError(cniErrorCodes.invalidEnvironment, `invalid characters in containerID: ${containerId}`);
  if (ifName) checkInterfaceName(ifName);
  const config = configOf(stdin, command);
  const netns = environment['CNI_NETNS'] ?? '';
  return { command, cniVersion: versionOf(config), containerId, netns, ifName, config };
}

function commandOf(environment: Environment): PluginCommand {
  const command = environment['CNI_COMMAND'];
  const match = pluginCommands.find((one) => one === command);
  if (match) return match;
  const message = command ? `unknown CNI_COMMAND: ${command}` : 'required env variables ["CNI_COMMAND"] missing';
  throw new CniError(cniErrorCodes.invalidEnvironment, message);
}

function checkInterfaceName(name: string): void {
  if (name.length <= 15 && name !== '.' && name !== '..' && !/[/:\s]/.test(name)) return;
  throw new CniError(cniErrorCodes.invalidEnvironment, `invalid interface name: ${JSON.stringify(name)}`);
}

function configOf(stdin: string, command: PluginCommand): JsonObject {
  if (command === 'VERSION' && stdin.trim() === '') return { cniVersion: currentVersion };
  let config: unknown;
  try {
    config = JSON.parse(stdin);
  } catch (error) {
    throw new CniError(cniErrorCodes.decodingFailure, `error unmarshall network config: ${(error as Error).message}`);
  }
  if (!isRecord(config)) throw new CniError(cniErrorCodes.decodingFailure, 'network config is not a JSON object');
  if (command !== 'VERSION' && (typeof config['name'] !== 'string' || config['name'] === ''))
    throw new CniError(cniErrorCodes.invalidNetworkConfig, 'missing network name');
  return config as JsonObject;
}
