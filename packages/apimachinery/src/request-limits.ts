/** The largest body that an API server reads, and the largest answer that it reads from a webhook: 3 MiB, as upstream. */
export const maxRequestBytes: number = 3 * 1024 * 1024;
