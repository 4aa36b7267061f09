/** TLS settings of a connection to etcd. */
export interface EtcdTls {
  /** PEM. Absent: the system's certificate authorities. */
  readonly ca?: Uint8Array;
  /** PEM, both or neither. */
  readonly certificate?: Uint8Array;
  readonly key?: Uint8Array;
}
