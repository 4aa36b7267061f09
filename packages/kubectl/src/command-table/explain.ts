import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'explain',
  short: 'Describe the fields of resources',
  usage:
    'kubectl explain TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group] [-o|--output=plaintext|plaintext-openapiv2] [options]',
  hiddenFlags: ['--example bool=false Print an object with the required fields instead of the description.'],
  flags: [
    `
    --api-version string Group and version of the resource, as group/version.
    -o, --output string=plaintext Output format.
    -R, --recursive bool=false Print all nested fields, without descriptions.
  `,
  ],
  run: () => import('../commands/explain.js'),
};
