import type { PostFilterPlugin } from '../framework/plugin.js';

/** Has claims to give back when a pod with resource claims fits nowhere; none are allocated while scheduling yet. */
export const dynamicResources: PostFilterPlugin = {
  name: 'DynamicResources',
  wakesOn: [],
  postFilter: () => ({ message: 'no new claims to deallocate' }),
};
