import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag, filenameFlags, printFlags } from './shared-flags.js';

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
        printFlags,
        dryRunFlag,
        `
      --all bool=false Select all objects of the given types in the namespace.
      -c, --containers string=* Names of the containers to change; wildcards are allowed.
      -e, --env stringSlice Environment variable, as key=value.
      --field-manager string=kubectl-set Name of the field manager of the changes.
      --from string Resource whose keys become variables: configmap/NAME or secret/NAME.
      --keys stringSlice Keys to import.
      --list bool=false Print what the objects have.
      --local bool=false Work on the given files without asking the server.
      --overwrite bool=true Replace values that exist.
      --prefix string Prefix of the names of imported variables.
      --resolve bool=false Print the values that references stand for.
      -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    `,
      ],
      run: () => import('../commands/set/env.js'),
    },
    {
      name: 'image',
      short: 'Update images of pod templates',
      usage:
        'kubectl set image (-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N [options]',
      flags: [
        filenameFlags,
        printFlags,
        dryRunFlag,
        `
      --all bool=false Select all objects of the given types in the namespace.
      --field-manager string=kubectl-set Name of the field manager of the changes.
      --local bool=false Work on the given files without asking the server.
      -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    `,
      ],
      run: () => import('../commands/set/image.js'),
    },
    {
      name: 'resources',
      short: 'Update resource requests and limits of pod templates',
      usage: 'kubectl set resources (-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS] [options]',
      flags: [
        filenameFlags,
        printFlags,
        dryRunFlag,
        `
      --all bool=false Select all objects of the given types in the namespace.
      -c, --containers string=* Names of the containers to change; wildcards are allowed.
      --field-manager string=kubectl-set Name of the field manager of the changes.
      --limits string Limits of the containers, as cpu=100m,memory=256Mi.
      --local bool=false Work on the given files without asking the server.
      --requests string Requests of the containers, as cpu=100m,memory=256Mi.
      -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    `,
      ],
      run: () => import('../commands/set/resources.js'),
    },
    {
      name: 'selector',
      short: 'Set the selector of a service',
      usage: 'kubectl set selector (-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version] [options]',
      flags: [
        printFlags,
        dryRunFlag,
        `
      --all bool=false Select all objects of the given types in the namespace.
      --field-manager string=kubectl-set Name of the field manager of the changes.
      -f, --filename stringSlice File, directory or URL with the objects.
      --local bool=false Work on the given files without asking the server.
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
      flags: [
        filenameFlags,
        printFlags,
        dryRunFlag,
        `
      --all bool=false Select all objects of the given types in the namespace.
      --field-manager string=kubectl-set Name of the field manager of the changes.
      --local bool=false Work on the given files without asking the server.
    `,
      ],
      run: () => import('../commands/set/serviceaccount.js'),
    },
    {
      name: 'subject',
      short: 'Update the subjects of role bindings',
      usage:
        'kubectl set subject (-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none] [options]',
      flags: [
        filenameFlags,
        printFlags,
        dryRunFlag,
        `
      --all bool=false Select all objects of the given types in the namespace.
      --field-manager string=kubectl-set Name of the field manager of the changes.
      --group stringSlice Group to bind; may be repeated.
      --local bool=false Work on the given files without asking the server.
      -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
      --serviceaccount stringSlice Service account to bind, as namespace:name; may be repeated.
      --user stringSlice User to bind; may be repeated.
    `,
      ],
      run: () => import('../commands/set/subject.js'),
    },
  ],
};
