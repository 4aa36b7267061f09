/** What a browser may do with the pages of the dashboard. Nothing comes from elsewhere, and nothing may frame it. */
export function pageHeaders(host: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // The terminal writes rules of its own for its colours and its size. Scripts never stand in the page.
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
