import { failure, internalError, type Status, StatusError } from '@coracle/apimachinery';

/** A call of a webhook failed, or its response is invalid. The failure policy decides the outcome. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
  /** As it is counted. */
  readonly code: number;

  constructor(webhook: string, cause: unknown, code: number) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${(cause as Error).message}`, { cause });
    this.code = code;
  }

  /** The error for the client if the failure policy is Fail. */
  get status(): StatusError {
    return internalError(this);
  }
}

/** A webhook denies the request. */
export class WebhookRejection extends StatusError {}

/** The error for a request that a webhook denies, with the webhook's own status. */
export function rejection(webhook: string, reviewStatus: Partial<Status> | undefined): WebhookRejection {
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const { message = '', reason = '', code = 0, status = '' } = reviewStatus ?? {};
  const words = message || reason;
  return new WebhookRejection({
    ...reviewStatus,
    kind: 'Status',
    apiVersion: 'v1',
    metadata: reviewStatus?.metadata ?? {},
    message: words === '' ? `${denied} without explanation` : `${denied}: ${words}`,
    code: code < 400 ? 400 : code,
    status: status === '' || status === 'Success' ? 'Failure' : status,
  });
}

export function dryRunUnsupported(webhook: string): StatusError {
  return failure('BadRequest', `admission webhook ${JSON.stringify(webhook)} does not support dry run`);
}

/** A deletion has no object to mutate. */
export function nothingToChange(webhook: string): StatusError {
  const what = `admission webhook ${JSON.stringify(webhook)} attempted to modify the object`;
  return internalError(new Error(`${what}, which is not supported for this operation`));
}
