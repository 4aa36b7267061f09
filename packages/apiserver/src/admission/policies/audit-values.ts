import type { AdmissionAttributes } from '../admission.js';

const maxBytes = 10 * 1024;

/** The audit annotation values of one policy, over all its bindings and parameters. */
export class AuditValues {
  readonly #byKey = new Map<string, string[]>();

  add(key: string, value: string): void {
    const values = this.#byKey.get(key) ?? [];
    const text = new TextDecoder().decode(new TextEncoder().encode(value).subarray(0, maxBytes));
    if (!values.includes(text)) values.push(text);
    this.#byKey.set(key, values);
  }

  publish(policy: string, { annotate }: AdmissionAttributes): void {
    for (const [key, values] of this.#byKey) annotate?.(`${policy}/${key}`, values.join(', '));
  }
}
