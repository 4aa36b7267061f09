/** What the launcher runs of the cluster's command line: the arguments to the exit code. */
export { runCli as main } from './cli.js';
