/** `import { createClient } from 'coracle/browser'`: clients and controllers for pages and workers. */
export * from '@coracle/platform-web';
export * from './anywhere.js';
