/**
 * The package `coracle` as examples and guides import it here: from its sources. The cluster, which the package loads
 * when one is started, is loaded with it, so that loading is not counted as time of the first test.
 */
import '@coracle/cluster';

export * from '../apps/coracle/src/library.js';
