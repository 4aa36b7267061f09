/** The client of container runtimes, for those who load it when they need it. */
export { createCriClient, negotiateVersion } from '@coracle/platform-nodejs';
