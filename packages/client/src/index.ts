export type * from './cache/informer.js';
export type * from './client.js';
export type * from './events/event-recorder.js';
export type * from './resource-client.js';
export type * from './transport.js';
