import type { ApiRequest } from '@coracle/apimachinery';

/** Whether the response is a stream: watches and followed logs, and responses of proxies. */
export function isStreaming({ path, query }: ApiRequest): boolean {
  return /(?:^|&)(?:watch|follow)=(?:true|1)(?:&|$)/.test(query) || /\/watch\/|\/proxy(?:\/|$)/.test(path);
}
