import { asStatusError, StatusError } from '@coracle/apimachinery';
import type { Logger } from '@coracle/base';
import type { Filter, RequestContext } from '../handler-chain.js';
import { negotiate, plainObjects } from '../negotiation/negotiate.js';
import { type OutputForm, plainJson } from '../negotiation/output-form.js';
import { respondWithStatus } from '../negotiation/respond.js';

/** Turns every thrown error into a Status, so that the server continues. Filters before it must not throw. */
export function answerErrors(logger: Logger): Filter {
  return (next) => async (context) => {
    try {
      return await next(context);
    } catch (error) {
      const { status } = asStatusError(error);
      if (!StatusError.is(error)) {
        logger.error('a request failed', { method: context.request.method, path: context.request.path, error });
      }
      return respondWithStatus(context, formFor(context), status);
    }
  };
}

/** A client that accepts none of the served media types gets JSON. */
function formFor(context: RequestContext): OutputForm {
  try {
    return negotiate(context, plainObjects);
  } catch {
    return plainJson;
  }
}
