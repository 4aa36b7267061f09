import type { Filter } from '../handler-chain.js';

/** Where requests wait for their turn when there are too many. Everyone's turn is now. */
export const flowControl: Filter = (next) => next;
