/** `apiVersion Kind` → the warning in every response. */
const deprecations: Readonly<Record<string, string>> = {
  'v1 ComponentStatus': 'v1 ComponentStatus is deprecated in v1.19+',
  'v1 Endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};

export function deprecationOf(apiVersion: string, kind: string): string | undefined {
  return deprecations[`${apiVersion} ${kind}`];
}
