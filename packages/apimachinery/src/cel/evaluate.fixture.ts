import { CelEnvironment } from './cel-environment.js';
import { CelError } from './cel-error.js';
import { toJson } from './values/json-value.js';

const environment = new CelEnvironment({ variables: {} });

/** The value of an expression as JSON, or the first line of its error. */
export function evaluated(expression: string): unknown {
  try {
    return toJson(environment.compile(expression).evaluate({}));
  } catch (error) {
    if (!CelError.is(error)) throw error;
    return error.message.split('\n')[0];
  }
}
