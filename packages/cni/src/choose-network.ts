import { messageOf } from '@coracle/base';
import { type NetworkConfig, parseNetworkConfig } from './network-config.js';

/** A file of the configuration folder. */
export interface ConfigFile {
  readonly name: string;
  readonly text: string;
}

export interface NetworkChoice {
  /** The network of the first valid file; `undefined` if none is valid. */
  readonly network?: NetworkConfig;
  readonly fileName?: string;
  /** Why earlier files were skipped or, without a network, why there is none. */
  readonly problems: readonly string[];
}

const extensions = ['.conf', '.conflist', '.json'];

/**
 * Chooses the network of the default attachment: the first valid file in lexical order. A file that cannot be read, or
 * whose plugins are not installed, is skipped.
 */
export function chooseNetwork(files: readonly ConfigFile[], isInstalled: (type: string) => boolean): NetworkChoice {
  const problems: string[] = [];
  const candidates = files
    .filter(({ name }) => extensions.some((extension) => name.endsWith(extension)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, text } of candidates) {
    try {
      const network = parseNetworkConfig(text, name);
      const missing = network.plugins.find(({ type }) => !isInstalled(type));
      if (!missing) return { network, fileName: name, problems };
      problems.push(`${name}: failed to find plugin ${JSON.stringify(missing.type)}`);
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  return { problems: [...problems, 'no valid networks found'] };
}
