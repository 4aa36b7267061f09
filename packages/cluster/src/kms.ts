/** The client of KMS plugins, for those who load it when they need it. */
export { connectKms } from '@coracle/platform-nodejs';
