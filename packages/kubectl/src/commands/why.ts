// STUB
import { CommandError } from '../command/command-error.js';
const no = async (..._: unknown[]): Promise<never> => { throw new CommandError('not yet'); };
export { no as run };
