import { badRequest } from '@coracle/apimachinery';
import type { Handler, ObjectReader } from '@coracle/apiserver';
import { RecordingTracer, type Tracer } from '@coracle/base';
import { tellStory } from './trace-story.js';

/** `GET /debug/coracle/trace?subject=pods/default/web`, where steps are recorded. */
export function traceEndpoints(tracer: Tracer, objects: ObjectReader): Readonly<Record<string, Handler>> {
  return tracer instanceof RecordingTracer ? { '/debug/coracle/trace': traceEndpoint(tracer, objects) } : {};
}

/** The steps that the pod went through, as JSON. */
function traceEndpoint(tracer: RecordingTracer, objects: ObjectReader): Handler {
  return async ({ query }) => {
    const subject = query.get('subject');
    if (!subject) throw badRequest('subject is required, such as pods/default/web');
    const text = JSON.stringify({ subject, chapters: tellStory(tracer, objects, subject) });
    return {
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
      body: { kind: 'bytes', chunks: [new TextEncoder().encode(text)] },
    };
  };
}
