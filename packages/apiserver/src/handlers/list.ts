import { type ApiResponse, badRequest, type ListMeta } from '@coracle/apimachinery';
import { respondWithList } from '../negotiation/respond.js';
import { type ListOptions, parseListOptions } from './list-options.js';
import { listPage } from './list-page.js';
import type { ResourceOperation } from './operation.js';
import { parseSelection } from './selection.js';

/** All objects that are selected, or a page of them. */
export async function listObjects(operation: ResourceOperation): Promise<ApiResponse> {
  const { context, resource } = operation;
  const options = parseListOptions(context, 'list');
  checkTogether(options);
  const selection = parseSelection(context, resource);
  const page = await listPage(resource, selection, options);
  const metadata: ListMeta = {
    resourceVersion: String(page.revision),
    ...(page.continueToken !== undefined && { continue: page.continueToken }),
    ...(page.remaining !== undefined && { remainingItemCount: page.remaining }),
  };
  return respondWithList(operation, page.items, metadata);
}

function checkTogether({ continueToken, resourceVersion }: ListOptions): void {
  if (continueToken !== '' && resourceVersion !== '' && resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
}
