import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'kustomize',
  short: 'Build the objects of a kustomization',
  usage: 'kubectl kustomize DIR [flags] [options]',
  flags: [
    `
    --as-current-user bool=false Run container functions with the user and group of the caller.
    --enable-alpha-plugins bool=false Enable kustomize plugins.
    --enable-helm bool=false Enable the Helm chart inflator.
    -e, --env stringArray Environment variable for functions.
    --helm-api-versions stringSlice API versions passed to Helm.
    --helm-command string=helm Path of the helm command.
    --helm-debug bool=false Run helm with --debug.
    --helm-kube-version string Kubernetes version passed to Helm.
    --load-restrictor string=LoadRestrictionsRootOnly Which files a kustomization may load: LoadRestrictionsRootOnly or LoadRestrictionsNone.
    --mount stringArray Storage to mount into functions.
    --network bool=false Give functions network access.
    --network-name string=bridge Docker network of functions.
    -o, --output string Output format.
  `,
  ],
  run: () => import('../commands/kustomize.js'),
};
