/** The client of container runtimes, loaded when it is needed. */
export { createCriClient, negotiateVersion } from '@coracle/platform-nodejs';
