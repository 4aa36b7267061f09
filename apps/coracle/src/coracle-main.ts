/** The entry point of the launcher for the cluster's command line: arguments to exit code. */
export { runCli as main } from './cli.js';
