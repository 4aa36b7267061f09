/** The content type of server-side apply. */
export const applyPatchType = 'application/apply-patch+yaml';

/** Without its parameters, in lower case; JSON if the header is absent. */
export function mediaType(header: string | undefined): string {
  if (header === undefined || header === '') return 'application/json';
  const end = header.indexOf(';');
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
}
