/** The version of kubectl that this is. */
export const clientVersion = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.4',
  gitCommit: '0000000000000000000000000000000000000000',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'typescript',
} as const;

/** The version of kustomize that `-k` and `kubectl kustomize` implement. */
export const kustomizeVersion = 'v5.8.1';
