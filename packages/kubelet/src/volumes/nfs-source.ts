export interface NfsSource {
  readonly server: string;
  readonly path: string;
  readonly readOnly?: boolean;
}

/** How an NFS export is mounted. */
export function nfsMount({ server, path, readOnly = false }: NfsSource) {
  const host = server.includes(':') && !server.startsWith('[') ? `[${server}]` : server;
  return { kind: 'remote', source: `${host}:${path}`, fsType: 'nfs', readOnly } as const;
}
