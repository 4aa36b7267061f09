import type { ResourceInfo } from '@coracle/apimachinery';

export function hasStatus({ subresources }: ResourceInfo): boolean {
  return subresources.some(({ name }) => name === 'status');
}
