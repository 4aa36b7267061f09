import type { ApiRequest } from '@coracle/apimachinery';

/** Whether the answer continues after it has begun: watches and followed logs, and whatever a proxy may send. */
export function isStreaming({ path, query }: ApiRequest): boolean {
  return /(?:^|&)(?:watch|follow)=(?:true|1)(?:&|$)/.test(query) || /\/watch\/|\/proxy(?:\/|$)/.test(path);
}
