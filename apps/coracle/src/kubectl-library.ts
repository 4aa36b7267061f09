/** `import { apply, get, Session } from 'coracle/kubectl'`: kubectl's verbs as functions, on Node.js and in browsers. */
export * from '@coracle/kubectl';
