/** The user of a request, as set by authentication or impersonation. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const anonymous: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
