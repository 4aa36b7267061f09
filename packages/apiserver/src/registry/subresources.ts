import { bindings, podBinding } from './core/pod-binding.js';
import type { SubresourceTable } from './subresource.js';

/** The subresources that need nothing but the server itself. Others are passed to `createApiServer`. */
export const builtInSubresources: SubresourceTable = {
  '/bindings': bindings,
  '/pods/binding': podBinding,
};
