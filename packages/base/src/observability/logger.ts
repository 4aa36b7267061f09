/** The fields of a message: always the same keys for the same things (`pod`, `node`, `controller`, `error`). */
export type LogFields = Readonly<Record<string, unknown>>;

/** Messages are constant; variable parts are fields. */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every message. */
  with(fields: LogFields): Logger;
}

export const silentLogger: Logger = Object.freeze({
  error() {},
  info() {},
  debug() {},
  with: () => silentLogger,
});
