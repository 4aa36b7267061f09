export { CommandError } from './command/command-error.js';
export { formatError } from './command/format-error.js';
export {
  FileError,
  type FileStatus,
  type Files,
  type Host,
  type Input,
  type LocalConnection,
  type LocalHttpRequest,
  type LocalHttpResponse,
  type Network,
  type Output,
  type Processes,
  type ProcessResult,
  type Terminal,
  type TransportRequest,
} from './host.js';
export { type RunOptions, runKubectl } from './run/run-kubectl.js';
