import { ReplaceableTokens, type TokenAuthenticator, tokenFile } from '@coracle/apiserver';
import type { DisposableStack, Logger } from '@coracle/base';
import { ReloadedFile } from '@coracle/platform-nodejs';

export interface ReloadDependencies {
  readonly logger: Logger;
  readonly parts: DisposableStack;
  /** How often files are looked at. */
  readonly periodMs?: number;
}

/** The tokens of a file, which is read again when it changes. `text` is what it says now. */
export function reloadedTokens(
  file: string,
  text: string,
  { logger, parts, periodMs }: ReloadDependencies,
): TokenAuthenticator {
  const tokens = new ReplaceableTokens();
  const apply = (changed: string) => tokens.replace([tokenFile(changed)]);
  apply(text);
  parts.use(new ReloadedFile(file, text, { apply, logger, ...(periodMs !== undefined && { periodMs }) }));
  return tokens;
}
