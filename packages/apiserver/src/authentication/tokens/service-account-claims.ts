/** What a service account token says. The `kubernetes.io` part binds it to objects that must still be there. */
export interface ServiceAccountClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly nbf: number;
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: BoundObject;
    readonly pod?: BoundObject;
    readonly secret?: BoundObject;
    readonly node?: BoundObject;
    /** Seconds; set when the token lives longer than was requested, for old clients that do not re-read it. */
    readonly warnafter?: number;
  };
}

export interface BoundObject {
  readonly name: string;
  readonly uid?: string;
}

export function serviceAccountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
