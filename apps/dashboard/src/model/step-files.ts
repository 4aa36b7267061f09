/** From `docs/flows/create-a-pod.md`, which a test keeps true; the build puts it in. */
declare const __STEP_FILES__: Readonly<Record<string, string>> | undefined;

/** The file of this repository that does a step. */
export const stepFiles: Readonly<Record<string, string>> =
  typeof __STEP_FILES__ === 'undefined' ? {} : (__STEP_FILES__ ?? {});
