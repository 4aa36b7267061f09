import type { ApiRequest } from '@coracle/apimachinery';
import type { UserInfo } from '../user-info.js';

export interface Authenticated {
  readonly user: UserInfo;
  /** The audiences that the credential is good for, where it names any. */
  readonly audiences?: readonly string[];
}

/**
 * Looks for one kind of credential in a request.
 *
 * `undefined`: it carries none of this kind: try the next authenticator. A credential of this kind that is bad is thrown as
 * `Unauthorized`: another may be good, but without one the caller is not anonymous.
 */
export interface Authenticator {
  readonly name: string;
  authenticate(request: ApiRequest): Promise<Authenticated | undefined> | Authenticated | undefined;
}
