import { type ApiResponse, badRequest, failure, internalError, type StatusError } from '@coracle/apimachinery';
import { concatBytes } from '@coracle/base';

/** More of what a kubelet answers is not read. */
const mostBytes = 2048;

/** A refusal of a kubelet, which is bare text, as the Status that clients of the API receive. */
export async function kubeletFailure(
  { status, body }: ApiResponse,
  { resource, name }: { readonly resource: string; readonly name: string },
): Promise<StatusError> {
  const text = new TextDecoder().decode(await bytesOf(body)).slice(0, mostBytes);
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

function bytesOf(body: ApiResponse['body']): Promise<Uint8Array> {
  if (body.kind === 'bytes') return Promise.resolve(concatBytes(body.chunks));
  if (body.kind !== 'stream') return Promise.resolve(new Uint8Array());
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let closed = () => {};
    body.stream.open({
      write: (chunk) => {
        chunks.push(chunk);
        return true;
      },
      end: () => {
        resolve(concatBytes(chunks));
        closed();
      },
      onDrain: () => {},
      onClose: (listener) => {
        closed = listener;
      },
    });
  });
}
