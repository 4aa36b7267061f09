/** The reason for aborting work for a client that has disconnected. */
export const clientGone = Object.assign(new Error('the client has gone away'), { name: 'AbortError' });
