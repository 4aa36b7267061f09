import { isRecord, type JsonObject, messageOf } from '@coracle/base';
import { CniError, cniErrorCodes } from '../cni-error.js';
import type { NetworkConfig, PluginConfig } from '../network-config.js';
import { parseResult } from '../parse-result.js';
import type { CniResult } from '../result.js';
import { isAtLeast } from '../versions.js';
import type { Attachment, AttachmentKey, ResultCache } from './attachment.js';
import { type InputExtras, pluginEnvironment, pluginInput } from './plugin-input.js';

export interface PluginRun {
  /** The name of the executable. */
  readonly type: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: string;
}

export interface PluginOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Finds the executable of a plugin and runs it. */
export type RunPlugin = (run: PluginRun) => Promise<PluginOutcome>;

export interface CniRunnerOptions {
  readonly runPlugin: RunPlugin;
  readonly cache: ResultCache;
}

/** Calls the plugins of a network for an attachment, as container runtimes do. */
export class CniRunner {
  readonly #options: CniRunnerOptions;

  constructor(options: CniRunnerOptions) {
    this.#options = options;
  }

  /** Runs the chain in order; each plugin gets the result of the previous one. The last result is cached. */
  async add(network: NetworkConfig, attachment: Attachment): Promise<CniResult> {
    let result: JsonObject | undefined;
    for (const plugin of network.plugins)
      result = await this.#callForResult('ADD', { network, plugin, attachment, prevResult: result });
    const last = result ?? {};
    const parsed = parseResult(last);
    await this.#options.cache.write(network.name, { attachment, result: last });
    return parsed;
  }

  /** Runs the chain in reverse order with the cached result, then removes it. */
  async del(network: NetworkConfig, attachment: Attachment): Promise<void> {
    const { cache } = this.#options;
    const cached = isAtLeast(network.cniVersion, '0.4.0') ? await cache.read(network.name, attachment) : undefined;
    // DEL must receive the configuration of ADD: it is read from the cache if the caller has none.
    const whole = cached ? { ...cached.attachment, ...attachment } : attachment;
    for (const plugin of [...network.plugins].reverse())
      await this.#call('DEL', { network, plugin, attachment: whole, prevResult: cached?.result });
    await cache.remove(network.name, attachment);
  }

  /** Runs CHECK of every plugin: the attachment must be as ADD left it. */
  async check(network: NetworkConfig, attachment: Attachment): Promise<void> {
    if (!isAtLeast(network.cniVersion, '0.4.0'))
      throw new CniError(
        cniErrorCodes.incompatibleVersion,
        `configuration version ${JSON.stringify(network.cniVersion)} does not support CHECK command`,
      );
    if (network.disableCheck) return;
    const cached = await this.#options.cache.read(network.name, attachment);
    for (const plugin of network.plugins)
      await this.#call('CHECK', { network, plugin, attachment, prevResult: cached?.result });
  }

  /** Throws the error of the first plugin that is not ready. */
  async status(network: NetworkConfig): Promise<void> {
    if (!isAtLeast(network.cniVersion, '1.1.0')) return;
    for (const plugin of network.plugins) await this.#call('STATUS', { network, plugin });
  }

  /** Removes attachments that are in the cache and not in `valid`, then calls GC of the plugins. */
  async gc(network: NetworkConfig, valid: readonly AttachmentKey[]): Promise<void> {
    const isValid = (one: AttachmentKey) =>
      valid.some(({ containerId, ifName }) => containerId === one.containerId && ifName === one.ifName);
    const failures: string[] = [];
    for (const { attachment } of await this.#options.cache.list(network.name)) {
      if (isValid(attachment)) continue;
      await this.del(network, attachment).catch((error) => failures.push(messageOf(error)));
    }
    if (isAtLeast(network.cniVersion, '1.1.0') && !network.disableGc) {
      const validAttachments = valid.map(({ containerId, ifName }) => ({ containerID: containerId, ifname: ifName }));
      for (const plugin of network.plugins)
        await this.#call('GC', { network, plugin, validAttachments }).catch((error) => failures.push(messageOf(error)));
    }
    if (failures.length > 0) throw new CniError(cniErrorCodes.ioFailure, failures.join('; '));
  }

  async #callForResult(command: string, call: Call): Promise<JsonObject> {
    const value = parseOutput(await this.#call(command, call), call.plugin.type);
    parseResult(value);
    return value;
  }

  async #call(command: string, call: Call): Promise<string> {
    const { network, plugin, attachment } = call;
    const outcome = await this.#options.runPlugin({
      type: plugin.type,
      environment: pluginEnvironment(command, attachment),
      stdin: JSON.stringify(pluginInput(network, plugin, call)),
    });
    if (outcome.exitCode === 0) return outcome.stdout;
    throw failureOf(outcome, plugin, command);
  }
}

interface Call extends InputExtras {
  readonly network: NetworkConfig;
  readonly plugin: PluginConfig;
  readonly attachment?: Attachment;
}

function parseOutput(stdout: string, type: string): JsonObject {
  try {
    const value: unknown = JSON.parse(stdout);
    if (isRecord(value)) return value as JsonObject;
  } catch {
    // Reported below, with its output.
  }
  throw new CniError(
    cniErrorCodes.decodingFailure,
    `plugin type=${JSON.stringify(type)} printed no result`,
    stdout.slice(0, 200),
  );
}

/** Plugins print an error object; one that does not is quoted. */
function failureOf({ exitCode, stdout, stderr }: PluginOutcome, { type }: PluginConfig, command: string): CniError {
  const about = `plugin type=${JSON.stringify(type)} failed (${command.toLowerCase()})`;
  try {
    const value: unknown = JSON.parse(stdout);
    if (isRecord(value) && typeof value['msg'] === 'string') {
      const { code, msg, details } = value;
      return new CniError(
        typeof code === 'number' ? code : cniErrorCodes.ioFailure,
        `${about}: ${msg}`,
        typeof details === 'string' ? details : undefined,
      );
    }
  } catch {
    // It ended before it printed a result.
  }
  const printed = (stderr || stdout).trim().slice(0, 500);
  return new CniError(cniErrorCodes.ioFailure, `${about}: exit status ${exitCode}${printed && `: ${printed}`}`);
}
