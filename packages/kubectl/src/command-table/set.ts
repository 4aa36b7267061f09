import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag, filenameFlags, printFlags, selectorFlag } from './shared-flags.js';

/** Flags of each subcommand. */
const setFlags = [
  printFlags,
  dryRunFlag,
  `
  --all bool=false Select all objects of the given types in the namespace.
  --field-manager string=kubectl-set Name of the field manager of the changes.
  --local bool=false Work on the given files without asking the server.
`,
];

export const command: CommandSpec = {
  name: 'set',
  short: 'Set fields of objects',
  usage: 'kubectl set SUBCOMMAND [options]',
  subcommands: [
    {
      name: 'env',
      short: 'Update environment variables of pod templates',
      usage: 'kubectl set env RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N [options]',
      flags: [
        filenameFlags,
        ...setFlags,
        selectorFlag,
        `
      -c, --containers string=* Names of the containers to change; wildcards are allowed.
      -e, --env stringSlice Environment variable, as key=value.
      --from string Resource whose keys become variables: configmap/NAME or secret/NAME.
      --keys stringSlice Keys to import.
      --list bool=false Print what the objects have.
      --overwrite bool=true Replace values that exist.
      --prefix string Prefix of the names of imported variables.
      --resolve bool=false Print the values that references stand for.
    `,
      ],
      run: () => import('../commands/set/env.js'),
    },
    {
      name: 'image',
      short: 'Update images of pod templates',
      usage:
        'kubectl set image (-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N [options]',
      flags: [filenameFlags, ...setFlags, selectorFlag],
      run: () => import('../commands/set/image.js'),
    },
    {
      name: 'resources',
      short: 'Update resource requests and limits of pod templates',
      usage: 'kubectl set resources (-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS] [options]',
      flags: [
        filenameFlags,
        ...setFlags,
        selectorFlag,
        `
      -c, --containers string=* Names of the containers to change; wildcards are allowed.
      --limits string Limits of the containers, as cpu=100m,memory=256Mi.
      --requests string Requests of the containers, as cpu=100m,memory=256Mi.
    `,
      ],
      run: () => import('../commands/set/resources.js'),
    },
    {
      name: 'selector',
      short: 'Set the selector of a service',
      usage: 'kubectl set selector (-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version] [options]',
      flags: [
        ...setFlags,
        `
      -f, --filename stringSlice File, directory or URL with the objects.
      -R, --recursive bool=true Process directories recursively.
      --resource-version string Change the object only if this is its resource version.
    `,
      ],
      run: () => import('../commands/set/selector.js'),
    },
    {
      name: 'serviceaccount',
      aliases: ['sa'],
      short: 'Update the service account of pod templates',
      usage: 'kubectl set serviceaccount (-f FILENAME | TYPE NAME) SERVICE_ACCOUNT [options]',
      flags: [filenameFlags, ...setFlags],
      run: () => import('../commands/set/serviceaccount.js'),
    },
    {
      name: 'subject',
      short: 'Update the subjects of role bindings',
      usage:
        'kubectl set subject (-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none] [options]',
      flags: [
        filenameFlags,
        ...setFlags,
        selectorFlag,
        `
      --group stringSlice Group to bind; may be repeated.
      --serviceaccount stringSlice Service account to bind, as namespace:name; may be repeated.
      --user stringSlice User to bind; may be repeated.
    `,
      ],
      run: () => import('../commands/set/subject.js'),
    },
  ],
};
