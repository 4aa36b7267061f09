import { type Lease, refs } from '@coracle/api';
import { formatMicroTime, isNotFound } from '@coracle/apimachinery';
import { type Millis, randomUuid } from '@coracle/base';
import type { Needs } from '../server-parts.js';
import { ensureObjects } from './bootstrap-objects.js';

type LeaseParts = Needs<'objects' | 'writer' | 'clock' | 'random'>;

const namespace = 'kube-system';
const identityLabel = 'apiserver.kubernetes.io/identity';
const component = 'kube-apiserver';
const leaseDurationSeconds = 3600;

/** The leases of a cluster show which API servers it has, and which of them have stopped. */
export class IdentityLease {
  readonly #parts: LeaseParts;
  readonly #hostname: string;
  readonly #holder: string;
  readonly #name: Promise<string>;

  constructor(parts: LeaseParts, hostname: string) {
    this.#parts = parts;
    this.#hostname = hostname;
    this.#holder = randomUuid(parts.random);
    this.#name = identityOf(hostname);
  }

  /** Says that this server is there. */
  async renew(): Promise<void> {
    const { objects, writer, clock } = this.#parts;
    const name = await this.#name;
    const spec = {
      holderIdentity: `${name}_${this.#holder}`,
      leaseDurationSeconds,
      renewTime: formatMicroTime(clock.now()),
    };
    if (objects.get(refs.leases, namespace, name)) {
      await writer.update(refs.leases, namespace, name, (lease) => ({ ...lease, spec: { ...lease.spec, ...spec } }));
      return;
    }
    const labels = { [identityLabel]: component, 'kubernetes.io/hostname': this.#hostname };
    await ensureObjects(this.#parts, [
      { ref: refs.leases, object: { metadata: { namespace, name, labels }, spec } as Lease },
    ]);
  }

  /** Deletes the leases of servers that have expired. */
  async collect(): Promise<void> {
    const { objects, writer, clock } = this.#parts;
    const own = objects
      .list(refs.leases, namespace)
      .filter(({ metadata }) => metadata.labels?.[identityLabel] === component);
    for (const lease of own.filter((one) => isOver(one, clock.now()))) {
      await writer.delete(refs.leases, namespace, lease.metadata.name ?? '').catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  }
}

function isOver({ spec }: Lease, now: Millis): boolean {
  if (!spec?.renewTime) return true;
  return Date.parse(spec.renewTime) + (spec.leaseDurationSeconds ?? 0) * 1000 < now;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** `apiserver-` and the beginning of a hash of the host's name, in base 32. */
export async function identityOf(hostname: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(hostname))).subarray(
    0,
    16,
  );
  let [text, bits, held] = ['', 0, 0];
  for (const byte of hash) {
    bits = (bits << 8) | byte;
    held += 8;
    for (; held >= 5; held -= 5) text += alphabet[(bits >> (held - 5)) & 31];
    bits &= (1 << held) - 1;
  }
  if (held > 0) text += alphabet[(bits << (5 - held)) & 31];
  return `apiserver-${text}`;
}
