const encoder = new TextEncoder();

/** A JSON Web Signature by HMAC-SHA256 with a detached payload. */
export async function detachedSignature(
  content: string,
  token: { readonly id: string; readonly secret: string },
): Promise<string> {
  const header = base64Url(encoder.encode(JSON.stringify({ alg: 'HS256', kid: token.id })));
  const signed = encoder.encode(`${header}.${base64Url(encoder.encode(content))}`);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(token.secret), algorithm, false, ['sign']);
  return `${header}..${base64Url(new Uint8Array(await crypto.subtle.sign('HMAC', key, signed)))}`;
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
