import type { ApiResponse, Channel } from '@coracle/apimachinery';

/** Connects to the URLs that a runtime's `exec`, `attach` and `portForward` return. */
export interface RuntimeStreams {
  /**
   * Connects in one of these protocols; those that begin with `SPDY/3.1+` carry SPDY's bytes. Otherwise returns the
   * runtime's response.
   */
  connect(url: string, protocols: readonly string[]): Promise<Channel | ApiResponse>;
  /** The runtime may not support version 5 of the remote command protocol, so commands are opened over SPDY. */
  readonly commandsOverSpdy?: boolean;
}
