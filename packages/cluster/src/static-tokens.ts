import { ReplaceableTokens, type TokenAuthenticator, tokenFile } from '@coracle/apiserver';
import type { DisposableStack, Logger } from '@coracle/base';
import { ReloadedFile } from '@coracle/platform-nodejs';

export interface ReloadDependencies {
  readonly logger: Logger;
  readonly parts: DisposableStack;
  /** Interval of file checks. */
  readonly periodMs?: number;
}

/** The tokens of a file, which is reloaded when it changes. `text` is its current content. */
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
