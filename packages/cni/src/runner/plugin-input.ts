import type { JsonObject, JsonValue } from '@coracle/base';
import { isRecord } from '@coracle/base';
import type { NetworkConfig, PluginConfig } from '../network-config.js';
import type { Attachment } from './attachment.js';

export interface InputExtras {
  readonly prevResult?: JsonObject | undefined;
  readonly validAttachments?: JsonValue;
}

/** The configuration that one plugin of the chain reads from standard input. */
export function pluginInput(
  network: NetworkConfig,
  plugin: PluginConfig,
  { attachment, prevResult, validAttachments }: InputExtras & { readonly attachment?: Attachment },
): JsonObject {
  const runtimeConfig = declaredCapabilities(plugin, attachment?.capabilities ?? {});
  const { capabilities: _, ...own } = plugin;
  return {
    ...own,
    name: network.name,
    cniVersion: network.cniVersion,
    ...(Object.keys(runtimeConfig).length > 0 && { runtimeConfig }),
    ...(prevResult && { prevResult }),
    ...(validAttachments !== undefined && { 'cni.dev/valid-attachments': validAttachments }),
  };
}

/** A plugin receives a capability only if it declares it and the runtime has a value for it. */
function declaredCapabilities(
  { capabilities }: PluginConfig,
  values: Readonly<Record<string, JsonValue>>,
): Record<string, JsonValue> {
  if (!isRecord(capabilities)) return {};
  return Object.fromEntries(Object.entries(values).filter(([name]) => capabilities[name] === true));
}

/** The environment of a plugin's process, beside what it inherits. */
export function pluginEnvironment(command: string, attachment: Attachment | undefined): Record<string, string> {
  const { containerId = '', netns = '', ifName = '', args = [] } = attachment ?? {};
  return {
    CNI_COMMAND: command,
    CNI_CONTAINERID: containerId,
    CNI_NETNS: netns,
    CNI_IFNAME: ifName,
    CNI_ARGS: args.map(([name, value]) => `${name}=${value}`).join(';'),
  };
}
