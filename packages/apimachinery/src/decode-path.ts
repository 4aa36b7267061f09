/** The position of a decoder: field names and list indexes, from the root. */
export type DecodePath = readonly (string | number)[];

/** `spec.containers[0].image`. Keys of maps are written like fields, as the decoders of Go clients' servers do. */
export function formatPath(steps: DecodePath): string {
  let text = '';
  for (const step of steps) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}
