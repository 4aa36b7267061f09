import type { ApiRequest } from '@coracle/apimachinery';

/**
 * The values of a header that may occur several times, each as it was sent: a comma inside a value is a comma, because
 * names of groups may contain it. An in-process request only has values that are joined by commas.
 */
export function headerValues(
  { headers, rawHeaders }: Pick<ApiRequest, 'headers' | 'rawHeaders'>,
  name: string,
): string[] {
  const joined = headers[name];
  if (joined === undefined) return [];
  if (!rawHeaders) return joined.split(',').map((one) => one.trim());
  return rawHeaders.filter((_value, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}
