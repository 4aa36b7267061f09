/** Why work for a client that has left is given up. */
export const clientGone = Object.assign(new Error('the client has gone away'), { name: 'AbortError' });
