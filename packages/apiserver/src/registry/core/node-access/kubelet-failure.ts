import {
  type ApiResponse,
  badRequest,
  bodyBytes,
  failure,
  internalError,
  type StatusError,
} from '@coracle/apimachinery';

/** Maximum number of characters of a kubelet's response in messages. */
const mostBytes = 2048;

/** Converts the plain text error of a kubelet into a Status for clients of the API. */
export async function kubeletFailure(
  { status, body }: ApiResponse,
  { resource, name }: { readonly resource: string; readonly name: string },
): Promise<StatusError> {
  const text = new TextDecoder().decode(await bodyBytes(body)).slice(0, mostBytes);
  if (status === 400) return badRequest(text);
  if (status === 500) return internalError(new Error(text));
  const about = ` ( ${resource} ${name})`;
  const details = { kind: resource, name, causes: [{ reason: 'UnexpectedServerResponse', message: text }] };
  if (status === 404) return failure('NotFound', `the server could not find the requested resource${about}`, details);
  if (status === 401)
    return failure('Unauthorized', `the server has asked for the client to provide credentials${about}`, details);
  if (status === 403) return failure('Forbidden', text, details);
  return internalError(
    new Error(`an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding${about}`),
  );
}
