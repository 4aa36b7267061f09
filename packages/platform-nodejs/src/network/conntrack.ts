import type { Logger } from '@coracle/base';
import type { Connections, StaleConnections } from '@coracle/proxy';
import type { NamespaceOptions } from './nft-filter.js';
import { runTool } from './run-tool.js';

/** Deletes connections through `conntrack`. Without it UDP flows find their new endpoint only after a pause. */
export function conntrackConnections({ netns, logger }: NamespaceOptions & { readonly logger: Logger }): Connections {
  let missing = false;
  return {
    async remove(which) {
      if (missing) return;
      for (const one of which) {
        try {
          await runTool('conntrack', deletion(one), { netns });
        } catch (error) {
          // It fails if there is nothing to delete.
          if (!String(error).includes('ENOENT')) continue;
          missing = true;
          logger.error('conntrack is not installed: UDP clients keep endpoints that are gone until they pause');
          return;
        }
      }
    },
  };
}

function deletion({ protocol, family, address, port, endpoint }: StaleConnections): string[] {
  return [
    '-D',
    ...['-f', family === 4 ? 'ipv4' : 'ipv6'],
    ...['-p', protocol],
    ...(address ? ['--orig-dst', address] : []),
    ...['--orig-port-dst', String(port)],
    ...(endpoint ? ['--dst-nat', endpoint] : []),
  ];
}
