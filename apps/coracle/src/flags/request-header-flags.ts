import type { RequestHeaderFiles } from '@coracle/cluster';
import { type Command, Option } from 'commander';
import { parseList } from './flag-values.js';

/** Headers by which an authenticating proxy names the user. */
export interface RequestHeaderFlags {
  readonly requestheaderClientCaFile?: string;
  readonly requestheaderAllowedNames: readonly string[];
  readonly requestheaderUsernameHeaders: readonly string[];
  readonly requestheaderUidHeaders: readonly string[];
  readonly requestheaderGroupHeaders: readonly string[];
  readonly requestheaderExtraHeadersPrefix: readonly string[];
}

export function addRequestHeaderFlags(command: Command): Command {
  const list = (name: string, text: string, usual: readonly string[], shown = usual.join(',')) =>
    new Option(name, text).argParser(parseList).default(usual, shown);
  return command
    .option(
      '--requestheader-client-ca-file <file>',
      'CA bundle that verifies client certificates of authenticating proxies',
    )
    .addOption(
      list(
        '--requestheader-allowed-names <list>',
        'common names of client certificates that may set the --requestheader headers',
        [],
        'any',
      ),
    )
    .addOption(list('--requestheader-username-headers <list>', 'headers with the user name', ['X-Remote-User']))
    .addOption(list('--requestheader-uid-headers <list>', 'headers with the uid of the user', [], 'none'))
    .addOption(list('--requestheader-group-headers <list>', 'headers with the groups of the user', ['X-Remote-Group']))
    .addOption(
      list('--requestheader-extra-headers-prefix <list>', 'prefixes of headers with extra attributes of the user', [
        'X-Remote-Extra-',
      ]),
    );
}

/** The options of a server; `undefined` without a CA of proxies. */
export function requestHeaderOptions(flags: RequestHeaderFlags): { readonly requestHeader?: RequestHeaderFiles } {
  if (!flags.requestheaderClientCaFile) return {};
  return {
    requestHeader: {
      clientCa: flags.requestheaderClientCaFile,
      allowedNames: flags.requestheaderAllowedNames,
      usernameHeaders: flags.requestheaderUsernameHeaders,
      uidHeaders: flags.requestheaderUidHeaders,
      groupHeaders: flags.requestheaderGroupHeaders,
      extraHeaderPrefixes: flags.requestheaderExtraHeadersPrefix,
    },
  };
}
