import { isRecord } from '@coracle/base';
import { type Affinity, familyWord, type PacketFilter, proxyTable } from '@coracle/proxy';
import { NftTransactions } from './nft-transactions.js';
import { runTool, ToolError } from './run-tool.js';

export interface NamespaceOptions {
  /** The path of the network namespace; that of this process unless stated. */
  readonly netns?: string | undefined;
}

/** The packet filter through `nft`. */
export function nftFilter({ netns }: NamespaceOptions = {}): PacketFilter & Disposable {
  const transactions = new NftTransactions(netns);
  return {
    apply: (statements) => transactions.apply(statements),
    [Symbol.dispose]: () => transactions[Symbol.dispose](),
    hasTable: (family) => hasNftTable(`${familyWord(family)} ${proxyTable}`, { netns }),
    affinities: async (family) => {
      const args = ['-j', 'list', 'map', familyWord(family), proxyTable, 'affinity'];
      const listed = await runTool('nft', args, { netns }).catch((error) => {
        if (error instanceof ToolError) return '{}';
        throw error;
      });
      return parseAffinities(JSON.parse(listed));
    },
  };
}

/** Whether there is a table, named with its family: `inet filter`. */
export async function hasNftTable(table: string, { netns }: NamespaceOptions = {}): Promise<boolean> {
  try {
    await runTool('nft', ['-t', 'list', 'table', ...table.split(' ')], { netns });
    return true;
  } catch (error) {
    if (error instanceof ToolError) return false;
    throw error;
  }
}

/** Reads `[[{ elem: { val: { concat: [client, address, protocol, port] }, timeout, expires } }, { concat: [address, port] }], …]`. */
export function parseAffinities(listed: unknown): Affinity[] {
  const objects = isRecord(listed) && Array.isArray(listed['nftables']) ? listed['nftables'] : [];
  const map = objects.map((one) => (isRecord(one) ? one['map'] : undefined)).find(isRecord);
  const elements: unknown[] = Array.isArray(map?.['elem']) ? map['elem'] : [];
  return elements.flatMap((element) => {
    const [left, right] = Array.isArray(element) ? element : [];
    const key = concatOf(left);
    const target = concatOf(right);
    if (key.length !== 4 || target.length !== 2) return [];
    return [{ key: key.join(' . '), frontend: key.slice(1).join(' . '), target: target.join(' . '), ...timesOf(left) }];
  });
}

function concatOf(value: unknown): string[] {
  if (!isRecord(value)) return [];
  const { elem, val, concat } = value;
  if (isRecord(elem)) return concatOf(elem['val']);
  if (isRecord(val)) return concatOf(val);
  return Array.isArray(concat) ? concat.map(String) : [];
}

function timesOf(value: unknown): Pick<Affinity, 'timeout' | 'expires'> {
  const elem = isRecord(value) && isRecord(value['elem']) ? value['elem'] : {};
  const { timeout, expires } = elem;
  return {
    ...(typeof timeout === 'number' && { timeout }),
    ...(typeof expires === 'number' && { expires }),
  };
}
