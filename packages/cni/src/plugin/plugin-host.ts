/**
 * The machine's operations for the plugin. Every call is synchronous: the plugin is a process for one command, and
 * nothing else waits in it.
 */
export interface PluginHost {
  /** Runs lines of `ip -batch` in the node's network namespace, or in that of a pod. Throws with what `ip` says. */
  ip(lines: readonly string[], netns?: string): void;
  /** The output of `ip -json`. */
  ipJson(args: readonly string[], netns?: string): unknown;
  /** Runs lines of `tc -batch`. */
  tc(lines: readonly string[], netns?: string): void;
  /** Applies a text to nftables, atomically. */
  nft(text: string): void;
  /** Writes below `/proc/sys/net` of the node's network namespace. What the kernel does not have is ignored. */
  sysctl(path: string, value: string): void;
  linkExists(name: string): boolean;
  netnsExists(path: string): boolean;
  /** The largest packet that the interface of the default route takes; 1500 without one. */
  defaultMtu(): number;
  leases(dataDir: string, network: string): LeaseStore;
}

/** Leased addresses, and the attachments that hold them. Survives restarts. */
export interface LeaseStore {
  /** Leases the address to the owner, unless it is taken; of several concurrent claims one succeeds. */
  claim(address: string, owner: string): boolean;
  release(address: string): void;
  claims(): readonly { readonly address: string; readonly owner: string }[];
  /** The address that was given last of this range. */
  last(range: string): string | undefined;
  setLast(range: string, address: string): void;
  attachment(owner: string): LeasedAttachment | undefined;
  saveAttachment(owner: string, attachment: LeasedAttachment): void;
  removeAttachment(owner: string): void;
  /** Owners of all attachments. */
  owners(): readonly string[];
}

/** In bits per second, and bits. */
export interface EgressLimit {
  readonly rate: number;
  readonly burst: number;
}

/** The state that DEL has to undo. */
export interface LeasedAttachment {
  readonly hostInterface: string;
  readonly addresses: readonly string[];
  readonly hostPorts: readonly { readonly map: string; readonly key: string; readonly value: string }[];
  /** Its egress bandwidth limit. */
  readonly egressLimit?: EgressLimit;
}
