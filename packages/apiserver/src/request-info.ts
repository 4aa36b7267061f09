/** What a request refers to, from its method, path and query; they are parsed only here. */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  readonly path: string;
  /** The API verb (`get`, `list`, `watch`, `create`, …), or the HTTP method in lower case outside resources. */
  readonly verb: string;
  /** `api` or `apis`. */
  readonly apiPrefix: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path's segments from the resource on. */
  readonly parts: readonly string[];
  /** From the query, if authorization needs it. */
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}
