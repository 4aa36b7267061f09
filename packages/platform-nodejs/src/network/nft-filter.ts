import { isRecord } from '@coracle/base';
import { type Affinity, familyWord, type PacketFilter, proxyTable } from '@coracle/proxy';
import { NftShell } from './nft-shell.js';
import { runTool, ToolError } from './run-tool.js';

export interface NamespaceOptions {
  /** The path of the network namespace; that of this process unless stated. */
  readonly netns?: string | undefined;
}

/** The packet filter through `nft`: one process for each transaction. */
export function nftFilter({ netns }: NamespaceOptions = {}): PacketFilter & Disposable {
  const shell = new NftShell(netns);
  return {
    apply: (statements) => shell.apply(statements),
    [Symbol.dispose]: () => shell[Symbol.dispose](),
    hasTable: (family) =>
      runTool('nft', ['-t', 'list', 'table', familyWord(family), proxyTable], { netns }).then(
        () => true,
        (error) => {
          if (error instanceof ToolError) return false;
          throw error;
        },
      ),
    affinities: async (family) => {
      const args = ['-j', 'list', 'map', familyWord(family), proxyTable, 'affinity'];
      return parseAffinities(JSON.parse(await runTool('nft', args, { netns })));
    },
  };
}

/** Reads `[[{ elem: { val: { concat: [client, address, protocol, port] } } }, { concat: [address, port] }], …]`. */
export function parseAffinities(listed: unknown): Affinity[] {
  const objects = isRecord(listed) && Array.isArray(listed['nftables']) ? listed['nftables'] : [];
  const map = objects.map((one) => (isRecord(one) ? one['map'] : undefined)).find(isRecord);
  const elements: unknown[] = Array.isArray(map?.['elem']) ? map['elem'] : [];
  return elements.flatMap((element) => {
    const [left, right] = Array.isArray(element) ? element : [];
    const key = concatOf(left);
    const target = concatOf(right);
    if (key.length !== 4 || target.length !== 2) return [];
    return [{ key: key.join(' . '), frontend: key.slice(1).join(' . '), target: target.join(' . ') }];
  });
}

function concatOf(value: unknown): string[] {
  if (!isRecord(value)) return [];
  const { elem, val, concat } = value;
  if (isRecord(elem)) return concatOf(elem['val']);
  if (isRecord(val)) return concatOf(val);
  return Array.isArray(concat) ? concat.map(String) : [];
}
