/** The content security policy of the dashboard's pages. They load nothing from other origins, and cannot be framed. */
export function pageHeaders(host: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // The terminal writes its own rules for colours and size. There are no inline scripts.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    `connect-src 'self' ws://${host} wss://${host}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return { ...sharedHeaders, 'content-security-policy': policy.join('; ') };
}

/** Of everything else: answers of the cluster are data, whatever they say they are. */
export const dataHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  ...sharedHeadersOf(),
};

const sharedHeaders = sharedHeadersOf();

function sharedHeadersOf(): Readonly<Record<string, string>> {
  return {
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  };
}
