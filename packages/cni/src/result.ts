/** The result of ADD, in the form of specification 1.1. */
export interface CniResult {
  readonly interfaces?: readonly CniInterface[];
  readonly ips?: readonly CniAddress[];
  readonly routes?: readonly CniRoute[];
  readonly dns?: CniDns;
}

export interface CniInterface {
  readonly name: string;
  readonly mac?: string;
  readonly mtu?: number;
  /** The network namespace; empty or absent for the host's. */
  readonly sandbox?: string;
  readonly socketPath?: string;
  readonly pciID?: string;
}

export interface CniAddress {
  /** With the length of its prefix: `10.244.0.5/32`. */
  readonly address: string;
  readonly gateway?: string;
  /** Index into `interfaces`. */
  readonly interface?: number;
}

export interface CniRoute {
  readonly dst: string;
  readonly gw?: string;
  readonly mtu?: number;
  readonly advmss?: number;
  readonly priority?: number;
  readonly table?: number;
  readonly scope?: number;
}

export interface CniDns {
  readonly nameservers?: readonly string[];
  readonly domain?: string;
  readonly search?: readonly string[];
  readonly options?: readonly string[];
}
