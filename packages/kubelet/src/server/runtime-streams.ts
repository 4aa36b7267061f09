import type { ApiResponse, Channel } from '@coracle/apimachinery';

/** The way to the addresses that a runtime's `exec`, `attach` and `portForward` answer with. */
export interface RuntimeStreams {
  /**
   * Connects in one of these protocols; those that begin with `SPDY/3.1+` carry SPDY's bytes. Otherwise, what the
   * runtime answered instead.
   */
  connect(url: string, protocols: readonly string[]): Promise<Channel | ApiResponse>;
  /** The runtime may not support version 5 of the remote command protocol: commands are opened over SPDY. */
  readonly commandsOverSpdy?: boolean;
}
