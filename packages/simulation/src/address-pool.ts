import { formatIp, maskedCidr, parseCidr } from '@coracle/apimachinery';

/** Allocates the addresses of a pod network. The first is the gateway's; a released one is reused last. */
export class AddressPool {
  readonly #base: Uint8Array;
  readonly #family: 4 | 6;
  /** Addresses below it exist, the last of the network (its broadcast) excepted. */
  readonly #end: number;
  readonly #returned: string[] = [];
  #next = 2;

  constructor(cidr: string) {
    const parsed = parseCidr(cidr);
    if (!parsed) throw new RangeError(`${cidr} is no network`);
    const { address, prefixLength } = maskedCidr(parsed);
    this.#base = address.bytes;
    this.#family = address.family;
    this.#end = 2 ** Math.min(32, address.bytes.length * 8 - prefixLength) - 1;
  }

  /** `undefined` when all are taken. */
  take(): string | undefined {
    if (this.#next < this.#end) return this.#address(this.#next++);
    return this.#returned.shift();
  }

  giveBack(address: string): void {
    this.#returned.push(address);
  }

  #address(offset: number): string {
    const bytes = Uint8Array.from(this.#base);
    let carry = offset;
    for (let i = bytes.length - 1; i >= 0 && carry > 0; i--) {
      carry += bytes[i] ?? 0;
      bytes[i] = carry & 0xff;
      carry = Math.floor(carry / 256);
    }
    return formatIp({ family: this.#family, bytes });
  }
}
