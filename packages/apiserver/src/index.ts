export type * from './admission/admission.js';
export type * from './authentication/authenticator.js';
export type * from './authorization/authorizer.js';
export { chain, type Filter, type Handler, type RequestContext } from './handler-chain.js';
export type * from './registry/object-reader.js';
export type * from './registry/strategy.js';
export type { RequestInfo } from './request-info.js';
export { anonymous, type UserInfo } from './user-info.js';
