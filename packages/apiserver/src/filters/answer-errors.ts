import { asStatusError, StatusError } from '@coracle/apimachinery';
import type { Logger } from '@coracle/base';
import type { Filter, RequestContext } from '../handler-chain.js';
import { negotiate, plainObjects } from '../negotiation/negotiate.js';
import { type OutputForm, plainJson } from '../negotiation/output-form.js';
import { respondWithStatus } from '../negotiation/respond.js';

/**
 * Whatever is thrown below leaves the server as a Status, and the server continues. Nothing before it in the chain
 * throws.
 */
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

/** A client that accepts nothing we have is answered in JSON. */
function formFor(context: RequestContext): OutputForm {
  try {
    return negotiate(context, plainObjects);
  } catch {
    return plainJson;
  }
}
