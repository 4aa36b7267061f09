import type { MaybePromise } from '@coracle/base';
import type { UserInfo } from '../user-info.js';
import type { AccessAttributes, AccessRules, Authorizer, Decision } from './authorizer.js';

/** An authorizer that may change while the server runs. */
export class ReplaceableAuthorizer implements Authorizer {
  #current: Authorizer;

  constructor(first: Authorizer) {
    this.#current = first;
  }

  get name(): string {
    return this.#current.name;
  }

  replace(next: Authorizer): void {
    this.#current = next;
  }

  authorize(attributes: AccessAttributes): MaybePromise<Decision> {
    return this.#current.authorize(attributes);
  }

  rulesFor(user: UserInfo, namespace: string): AccessRules {
    return this.#current.rulesFor?.(user, namespace) ?? { resourceRules: [], nonResourceRules: [], incomplete: true };
  }
}
