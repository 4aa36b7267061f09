/** The SHA-512 of a document in hexadecimal digits, for ETags and URLs of documents. */
export async function hexDigest(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-512', bytes as Uint8Array<ArrayBuffer>));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join('');
}
