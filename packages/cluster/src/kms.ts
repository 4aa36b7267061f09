/** The client of KMS plugins, loaded when it is needed. */
export { connectKms } from '@coracle/platform-nodejs';
