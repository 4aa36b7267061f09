// What the authors of bundled packages require: their licenses, beside the bundle.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param {readonly import('esbuild').Metafile[]} metafiles */
export function thirdPartyLicenses(root, metafiles) {
  const inputs = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
  const folders = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  return [...folders]
    .sort()
    .map((folder) => licenseOf(join(root, folder)))
    .join('\n');
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : '';
  return `${name} ${version} (${license})\n${'-'.repeat(80)}\n${text}\n`;
}
