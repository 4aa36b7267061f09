import { toBase64 } from '@coracle/apimachinery';
import type { Secret } from '../../generated/types/core-v1.js';

/** `stringData` is write-only: it is merged into `data`, and takes precedence. */
export function setSecretDefaults(secret: Secret): void {
  const { stringData } = secret;
  if (stringData) {
    if (Object.keys(stringData).length > 0) secret.data ??= {};
    for (const [key, value] of Object.entries(stringData)) {
      if (secret.data) secret.data[key] = toBase64(new TextEncoder().encode(value));
    }
    delete secret.stringData;
  }
  secret.type ||= 'Opaque';
}
