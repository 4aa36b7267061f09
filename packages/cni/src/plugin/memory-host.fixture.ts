import type { LeasedAttachment, PluginHost } from './plugin-host.js';

/** A fake host that records the commands it receives. */
export class MemoryHost implements PluginHost {
  readonly done: string[] = [];
  readonly links = new Set<string>();
  readonly claimed = new Map<string, string>();
  readonly attachments = new Map<string, LeasedAttachment>();
  /** Commands that fail, by a part of them. */
  failing: string | undefined;
  readonly #last = new Map<string, string>();

  ip(lines: readonly string[], netns?: string): void {
    for (const line of lines) {
      if (this.failing && line.includes(this.failing)) throw new Error(`ip: ${line}: no`);
      this.done.push(netns ? `[${netns}] ${line}` : line);
      const [, action, name = ''] = line.split(' ');
      if (line.startsWith('link add')) this.links.add(name);
      if (action === 'del') this.links.delete(name);
    }
  }

  ipJson(args: readonly string[]): unknown {
    if (args.includes('route')) return [{}];
    return [{ ifname: 'eth0', addr_info: [{ local: '10.0.0.2', prefixlen: 32 }] }];
  }

  tc(lines: readonly string[], netns?: string): void {
    this.done.push(...lines.map((line) => `tc ${netns ?? ''} ${line}`));
  }

  nft(text: string): void {
    this.done.push(...text.split('\n').filter((line) => / element | rule netdev |^delete chain netdev /.test(line)));
  }

  sysctl(path: string, value: string): void {
    this.done.push(`${path}=${value}`);
  }

  linkExists(name: string): boolean {
    return this.links.has(name);
  }

  netnsExists(path: string): boolean {
    return path !== '/gone';
  }

  defaultMtu(): number {
    return 1500;
  }

  leases(): ReturnType<PluginHost['leases']> {
    return {
      claim: (address, owner) => !this.claimed.has(address) && !!this.claimed.set(address, owner),
      release: (address) => void this.claimed.delete(address),
      claims: () => [...this.claimed].map(([address, owner]) => ({ address, owner })),
      last: (range) => this.#last.get(range),
      setLast: (range, address) => void this.#last.set(range, address),
      attachment: (owner) => this.attachments.get(owner),
      saveAttachment: (owner, attachment) => void this.attachments.set(owner, attachment),
      removeAttachment: (owner) => void this.attachments.delete(owner),
      owners: () => [...this.attachments.keys()],
    };
  }
}
