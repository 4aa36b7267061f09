import type { SubresourceTable } from './subresource.js';

/** The subresources that need nothing but the server itself. Others are passed to `createApiServer`. */
export const builtInSubresources: SubresourceTable = {};
