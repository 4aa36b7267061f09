import type { TokenAuthenticator } from '../bearer-token.js';

/** Token authenticators that may change while the server runs. The first that accepts a token decides. */
export class ReplaceableTokens implements TokenAuthenticator {
  readonly name = 'Replaceable';
  #kinds: readonly TokenAuthenticator[] = [];

  replace(kinds: readonly TokenAuthenticator[]): void {
    this.#kinds = kinds;
  }

  authenticateToken(
    ...[token, audiences]: Parameters<TokenAuthenticator['authenticateToken']>
  ): ReturnType<TokenAuthenticator['authenticateToken']> {
    return this.#ask(this.#kinds, token, audiences);
  }

  #ask(
    kinds: readonly TokenAuthenticator[],
    token: string,
    audiences: readonly string[] | undefined,
  ): ReturnType<TokenAuthenticator['authenticateToken']> {
    for (const [i, kind] of kinds.entries()) {
      const outcome = kind.authenticateToken(token, audiences);
      if (outcome instanceof Promise)
        return outcome.then((authenticated) => authenticated ?? this.#ask(kinds.slice(i + 1), token, audiences));
      if (outcome !== undefined) return outcome;
    }
    return undefined;
  }
}
