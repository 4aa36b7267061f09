/** What an image's pull policy is when none is given: `latest` moves, every other tag and a digest stay. */
export function imagePullPolicyOf(reference: string): string {
  return isLatest(reference) ? 'Always' : 'IfNotPresent';
}

/** Longer names are no references, and so have no tag. */
const longestReference = 255;

/** True for the tag `latest`, which is also the tag of a reference with neither tag nor digest. */
function isLatest(reference: string): boolean {
  const match = referencePattern.exec(reference);
  if (!match || reference.length > longestReference) return false;
  const [, tag, digest] = match;
  return tag === 'latest' || (tag === undefined && digest === undefined);
}

const host =
  '(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?';
const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const digestPart = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';

/** `[host[:port]/]path[:tag][@digest]`, as container registries define it; captures tag and digest. */
const referencePattern = new RegExp(
  `^(?:${host}/)?${component}(?:/${component})*(?::([\\w][\\w.-]{0,127}))?(?:@(${digestPart}))?$`,
);
