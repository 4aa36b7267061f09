import { readFile } from 'node:fs/promises';

/** The places where something is mounted in this mount namespace, in the order in which it was mounted. */
async function mountPoints(): Promise<string[]> {
  return parseMountPoints(await readFile('/proc/self/mountinfo', 'utf8'));
}

/** The fifth field of each line of `mountinfo`; blanks and the like are there as octal numbers. */
export function parseMountPoints(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const point = line.split(' ')[4];
    return point ? [point.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))] : [];
  });
}

export async function isMountPoint(path: string): Promise<boolean> {
  return (await mountPoints()).includes(path);
}

/** Mounts at a directory or below it, the last one first. */
export async function mountsBelow(directory: string): Promise<string[]> {
  const points = await mountPoints();
  return points.filter((point) => point === directory || point.startsWith(`${directory}/`)).reverse();
}
