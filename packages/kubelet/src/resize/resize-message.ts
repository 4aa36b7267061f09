import type { Container, Pod } from '@coracle/api';

/** The message of an event about a resize, with the resources as JSON. */
export function resizeMessage(prefix: string, { metadata, spec }: Pod, error?: string): string {
  const { initContainers = [], containers = [] } = spec ?? {};
  const summary = {
    ...(initContainers.length > 0 && { initContainers: initContainers.map(summaryOf) }),
    ...(containers.length > 0 && { containers: containers.map(summaryOf) }),
    generation: metadata.generation ?? 0,
    ...(error && { error }),
  };
  return `${prefix}: ${JSON.stringify(summary)}`;
}

function summaryOf({ name, resources = {} }: Container): object {
  const { requests, limits } = resources;
  const hasAny = requests !== undefined || limits !== undefined;
  return { name, ...(hasAny && { resources: { ...(limits && { limits }), ...(requests && { requests }) } }) };
}
