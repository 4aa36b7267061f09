import { badRequest } from '@coracle/apimachinery';
import type { Handler } from '@coracle/apiserver';
import type { RecordingTracer } from '@coracle/base';

export const tracePath = '/debug/coracle/trace';

/** `GET /debug/coracle/trace?subject=pods/default/web`: the steps that the object went through, as JSON. */
export function traceEndpoint(tracer: RecordingTracer): Handler {
  return async ({ query }) => {
    const subject = query.get('subject');
    if (!subject) throw badRequest('subject is required, such as pods/default/web');
    const text = JSON.stringify({ subject, steps: tracer.stepsOf(subject) });
    return {
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
      body: { kind: 'bytes', chunks: [new TextEncoder().encode(text)] },
    };
  };
}
