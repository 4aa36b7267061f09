import type { KubeObject } from '@coracle/apimachinery';
import type { Clock } from '@coracle/base';
import type { WriteRequest } from './write-request.js';

/** Notes in `metadata.managedFields` who has set what. `object` is changed. */
export function trackManagedFields(
  _clock: Clock,
  _request: WriteRequest,
  _change: { readonly object: KubeObject; readonly previous: KubeObject | undefined },
): void {}
