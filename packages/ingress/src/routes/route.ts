import type { Millis } from '@coracle/base';

/** One match of one rule for one host pattern. */
export interface Route {
  /** A name, `*.suffix`, or empty for every host. */
  readonly hostname: string;
  /** Whether a wildcard stands for one label alone, as in Ingress, and not for several, as in the Gateway API. */
  readonly oneLabel: boolean;
  readonly match: RouteMatch;
  readonly action: RouteAction;
  /** Used when no other route matches. */
  readonly isDefault: boolean;
  /** Of the routes that are used then, after those of the same host that do not yield. */
  readonly yields?: boolean;
  readonly origin: RouteOrigin;
}

/** The object that a route comes from; the older one wins, then the first by name. */
export interface RouteOrigin {
  readonly createdAt: string;
  /** `namespace/name`. */
  readonly key: string;
  /** The position in the object. */
  readonly rule: number;
}

export interface RouteMatch {
  readonly path: PathMatch;
  /** Any unless stated. */
  readonly method?: string;
  readonly headers: readonly ValueMatch[];
  readonly query: readonly ValueMatch[];
}

export interface PathMatch {
  readonly type: 'Exact' | 'Prefix';
  readonly value: string;
}

/** Header names are in lower case. */
export interface ValueMatch {
  readonly name: string;
  readonly value: string;
}

export interface RouteAction {
  readonly filters: readonly RouteFilter[];
  readonly backends: readonly WeightedBackend[];
  readonly timeouts: RouteTimeouts;
}

export interface RouteTimeouts {
  /** Until the whole response has been sent. */
  readonly requestMs?: Millis;
  /** Timeout until the backend has responded. */
  readonly backendMs?: Millis;
}

export interface WeightedBackend {
  readonly weight: number;
  /** The backends of requests, or the status code of the response. */
  readonly target: BackendTarget | BackendFailure;
  readonly filters: readonly RouteFilter[];
}

/** One port of a service. */
export interface BackendTarget {
  /** `namespace/name`. */
  readonly service: string;
  readonly portName: string;
  readonly protocol: 'http' | 'h2c';
}

export interface BackendFailure {
  readonly status: 500 | 503;
  readonly reason: string;
}

export interface HeaderModifier {
  readonly set: readonly ValueMatch[];
  readonly add: readonly ValueMatch[];
  readonly remove: readonly string[];
}

export type PathModifier =
  | { readonly type: 'ReplaceFullPath'; readonly value: string }
  | { readonly type: 'ReplacePrefixMatch'; readonly value: string };

export type RouteFilter =
  | { readonly type: 'RequestHeaderModifier'; readonly modifier: HeaderModifier }
  | { readonly type: 'ResponseHeaderModifier'; readonly modifier: HeaderModifier }
  | {
      readonly type: 'RequestRedirect';
      readonly scheme?: string;
      readonly hostname?: string;
      readonly port?: number;
      readonly path?: PathModifier;
      readonly status: number;
    }
  | { readonly type: 'URLRewrite'; readonly hostname?: string; readonly path?: PathModifier }
  | { readonly type: 'RequestMirror'; readonly target: BackendTarget; readonly share: number };

export function isFailure(target: BackendTarget | BackendFailure): target is BackendFailure {
  return 'status' in target;
}
