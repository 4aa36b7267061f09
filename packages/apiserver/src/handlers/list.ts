import type { ApiResponse } from '@coracle/apimachinery';
import { respondWithList } from '../negotiation/respond.js';
import { parseSelection } from '../watching/selection.js';
import { parseListOptions } from './list-options.js';
import { listMeta, listPage } from './list-page.js';
import type { ResourceOperation } from './operation.js';

/** Returns all selected objects, or a page of them. */
export async function listObjects(operation: ResourceOperation): Promise<ApiResponse> {
  const { context, resource } = operation;
  const options = parseListOptions(context, 'list');
  const selection = parseSelection(context, resource);
  const page = await listPage(resource, selection, options);
  return respondWithList(operation, page.items, listMeta(page));
}
