import type { CommandSpec } from '../command/command-spec.js';
import { generates } from './generates.js';
import { dryRunFlag, filenameFlags, printFlags } from './shared-flags.js';

/** Flags of the command and of each subcommand. */
const createFlags = [
  printFlags,
  dryRunFlag,
  `
  --field-manager string=kubectl-create Name of the field manager of the changes.
  --save-config bool=false Save the configuration in the object's last-applied-configuration annotation.
  --validate string=strict?strict What to do about unknown and duplicate fields: strict (or true), warn, ignore (or false).
`,
];

/** Flags of role and clusterrole. */
const ruleFlags = `
  --resource stringSlice Resource that the rule is for.
  --resource-name stringArray Name of an object that the rule is for; may be repeated.
  --verb stringSlice Verb that the rule allows.
`;

/** Flags of rolebinding and clusterrolebinding. */
const bindingFlags = `
  --clusterrole string Cluster role that the binding refers to.
  --group stringArray Group to bind; may be repeated.
  --serviceaccount stringArray Service account to bind, as namespace:name; may be repeated.
  --user stringArray User to bind; may be repeated.
`;

export const command: CommandSpec = {
  name: 'create',
  short: 'Create objects from files or standard input',
  usage: 'kubectl create -f FILENAME [options]',
  flags: [
    filenameFlags,
    ...createFlags,
    `
    --edit bool=false Edit the object before it is created.
    --raw string Path of a request that is sent as it is.
    -l, --selector string Label selector, such as -l key1=value1,key2!=value2.
    --windows-line-endings bool=false Use Windows line endings in the edited file.
  `,
  ],
  subcommands: [
    {
      name: 'clusterrole',
      short: 'Create a cluster role',
      usage:
        'kubectl create clusterrole NAME --verb=verb --resource=resource.group [--resource-name=resourcename] [--dry-run=server|client|none] [options]',
      flags: [
        ...createFlags,
        ruleFlags,
        `
      --aggregation-rule string Label selector of the cluster roles that are combined.
      --non-resource-url stringSlice URL path that the rule is for.
    `,
      ],
      ...generates(() => import('../commands/create/clusterrole.js')),
    },
    {
      name: 'clusterrolebinding',
      short: 'Create a cluster role binding',
      usage:
        'kubectl create clusterrolebinding NAME --clusterrole=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none] [options]',
      requiredFlags: ['clusterrole'],
      flags: [...createFlags, bindingFlags],
      ...generates(() => import('../commands/create/clusterrolebinding.js')),
    },
    {
      name: 'configmap',
      aliases: ['cm'],
      short: 'Create a config map from files, directories or literal values',
      usage:
        'kubectl create configmap NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none] [options]',
      flags: [
        ...createFlags,
        `
      --append-hash bool=false Append a hash of the content to the name.
      --from-env-file stringSlice File with key=value lines.
      --from-file stringSlice File or directory whose content is added: [KEY=]PATH.
      --from-literal stringArray Key and value to add, as key=value.
    `,
      ],
      ...generates(() => import('../commands/create/configmap.js')),
    },
    {
      name: 'cronjob',
      aliases: ['cj'],
      short: 'Create a cron job',
      usage:
        "kubectl create cronjob NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...] [flags] [options]",
      requiredFlags: ['image', 'schedule'],
      flags: [
        ...createFlags,
        `
      --image string Image of the container.
      --restart string Restart policy of the pod.
      --schedule string Schedule in Cron format.
    `,
      ],
      ...generates(() => import('../commands/create/cronjob.js')),
    },
    {
      name: 'deployment',
      aliases: ['deploy'],
      short: 'Create a deployment',
      usage: 'kubectl create deployment NAME --image=image -- [COMMAND] [args...] [options]',
      requiredFlags: ['image'],
      flags: [
        ...createFlags,
        `
      --image stringSlice Image of the container.
      --port int32=-1 Port that the container listens on.
      -r, --replicas int=1 Number of replicas.
    `,
      ],
      ...generates(() => import('../commands/create/deployment.js')),
    },
    {
      name: 'ingress',
      aliases: ['ing'],
      short: 'Create an ingress',
      usage: 'kubectl create ingress NAME --rule=host/path=service:port[,tls[=secret]]  [options]',
      flags: [
        ...createFlags,
        `
      --annotation stringArray Annotation of the ingress, as key=value.
      --class string Ingress class.
      --default-backend string Backend for requests that no rule matches, as service:port.
      --rule stringArray Rule of the ingress, as host/path=service:port[,tls[=secret]]; a path that ends in * is a prefix.
    `,
      ],
      ...generates(() => import('../commands/create/ingress.js')),
    },
    {
      name: 'job',
      short: 'Create a job',
      usage: 'kubectl create job NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...] [options]',
      flags: [
        ...createFlags,
        `
      --from string Source of the object, such as cronjob/NAME.
      --image string Image of the container.
    `,
      ],
      ...generates(() => import('../commands/create/job.js')),
    },
    {
      name: 'namespace',
      aliases: ['ns'],
      short: 'Create a namespace',
      usage: 'kubectl create namespace NAME [--dry-run=server|client|none] [options]',
      flags: [...createFlags],
      ...generates(() => import('../commands/create/namespace.js')),
    },
    {
      name: 'poddisruptionbudget',
      aliases: ['pdb'],
      short: 'Create a pod disruption budget',
      usage:
        'kubectl create poddisruptionbudget NAME --selector=SELECTOR --min-available=N [--dry-run=server|client|none] [options]',
      flags: [
        ...createFlags,
        `
      --max-unavailable string Number or percentage of pods that may be unavailable.
      --min-available string Number or percentage of pods that must stay available.
      --selector string Label selector, such as -l key1=value1,key2!=value2.
    `,
      ],
      ...generates(() => import('../commands/create/poddisruptionbudget.js')),
    },
    {
      name: 'priorityclass',
      aliases: ['pc'],
      short: 'Create a priority class',
      usage:
        'kubectl create priorityclass NAME --value=VALUE --global-default=BOOL [--dry-run=server|client|none] [options]',
      flags: [
        ...createFlags,
        `
      --description string Text that says when to use this priority class.
      --global-default bool=false Make this the default priority class.
      --preemption-policy string=PreemptLowerPriority Whether pods of this class may preempt others: PreemptLowerPriority or Never.
      --value int32=0 Priority of the class.
    `,
      ],
      ...generates(() => import('../commands/create/priorityclass.js')),
    },
    {
      name: 'quota',
      aliases: ['resourcequota'],
      short: 'Create a resource quota',
      usage:
        'kubectl create quota NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none] [options]',
      flags: [
        ...createFlags,
        `
      --hard string Limits of the quota, as resource=quantity,...
      --scopes string Comma-separated quota scopes.
    `,
      ],
      ...generates(() => import('../commands/create/quota.js')),
    },
    {
      name: 'role',
      short: 'Create a role with one rule',
      usage:
        'kubectl create role NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename] [--dry-run=server|client|none] [options]',
      flags: [...createFlags, ruleFlags],
      ...generates(() => import('../commands/create/role.js')),
    },
    {
      name: 'rolebinding',
      short: 'Create a role binding',
      usage:
        'kubectl create rolebinding NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none] [options]',
      flags: [
        ...createFlags,
        bindingFlags,
        `
      --role string Role that the binding refers to.
    `,
      ],
      ...generates(() => import('../commands/create/rolebinding.js')),
    },
    {
      name: 'secret',
      short: 'Create a secret of a given type',
      usage: 'kubectl create secret (docker-registry | generic | tls) [options]',
      subcommands: [
        {
          name: 'docker-registry',
          short: 'Create a secret for a container registry',
          usage:
            'kubectl create secret docker-registry NAME --docker-username=user --docker-password=password --docker-email=email [--docker-server=string] [--from-file=[key=]source] [--dry-run=server|client|none] [options]',
          flags: [
            ...createFlags,
            `
        --append-hash bool=false Append a hash of the content to the name.
        --docker-email string E-mail address for the registry.
        --docker-password string Password for the registry.
        --docker-server string=https://index.docker.io/v1/ Server of the registry.
        --docker-username string User name for the registry.
        --from-file stringSlice File or directory whose content is added: [KEY=]PATH.
      `,
          ],
          ...generates(() => import('../commands/create/secret-docker-registry.js')),
        },
        {
          name: 'generic',
          short: 'Create a secret from files, directories or literal values',
          usage:
            'kubectl create secret generic NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none] [options]',
          flags: [
            ...createFlags,
            `
        --append-hash bool=false Append a hash of the content to the name.
        --from-env-file stringSlice File with key=value lines.
        --from-file stringSlice File or directory whose content is added: [KEY=]PATH.
        --from-literal stringArray Key and value to add, as key=value.
        --type string Type of the object.
      `,
          ],
          ...generates(() => import('../commands/create/secret-generic.js')),
        },
        {
          name: 'tls',
          short: 'Create a TLS secret from a certificate and its key',
          usage:
            'kubectl create secret tls NAME --cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none] [options]',
          flags: [
            ...createFlags,
            `
        --append-hash bool=false Append a hash of the content to the name.
        --cert string File with the certificate in PEM.
        --key string File with the private key in PEM.
      `,
          ],
          ...generates(() => import('../commands/create/secret-tls.js')),
        },
      ],
    },
    {
      name: 'service',
      aliases: ['svc'],
      short: 'Create a service of a given type',
      usage: 'kubectl create service [flags] [options]',
      subcommands: [
        {
          name: 'clusterip',
          short: 'Create a ClusterIP service',
          usage:
            'kubectl create service clusterip NAME [--tcp=<port>:<targetPort>] [--dry-run=server|client|none] [options]',
          flags: [
            ...createFlags,
            `
        --clusterip string Cluster IP of the service; None for a headless one.
        --tcp stringSlice Port and target port, as port:targetPort.
      `,
          ],
          ...generates(() => import('../commands/create/service-clusterip.js')),
        },
        {
          name: 'externalname',
          short: 'Create an ExternalName service',
          usage:
            'kubectl create service externalname NAME --external-name external.name [--dry-run=server|client|none] [options]',
          requiredFlags: ['external-name'],
          flags: [
            ...createFlags,
            `
        --external-name string Name that the service is an alias of.
        --tcp stringSlice Port and target port, as port:targetPort.
      `,
          ],
          ...generates(() => import('../commands/create/service-externalname.js')),
        },
        {
          name: 'loadbalancer',
          short: 'Create a LoadBalancer service',
          usage:
            'kubectl create service loadbalancer NAME [--tcp=port:targetPort] [--dry-run=server|client|none] [options]',
          flags: [
            ...createFlags,
            `
        --tcp stringSlice Port and target port, as port:targetPort.
      `,
          ],
          ...generates(() => import('../commands/create/service-loadbalancer.js')),
        },
        {
          name: 'nodeport',
          short: 'Create a NodePort service',
          usage:
            'kubectl create service nodeport NAME [--tcp=port:targetPort] [--dry-run=server|client|none] [options]',
          flags: [
            ...createFlags,
            `
        --node-port int=0 Port of the nodes for the service.
        --tcp stringSlice Port and target port, as port:targetPort.
      `,
          ],
          ...generates(() => import('../commands/create/service-nodeport.js')),
        },
      ],
    },
    {
      name: 'serviceaccount',
      aliases: ['sa'],
      short: 'Create a service account',
      usage: 'kubectl create serviceaccount NAME [--dry-run=server|client|none] [options]',
      flags: [...createFlags],
      ...generates(() => import('../commands/create/serviceaccount.js')),
    },
    {
      name: 'token',
      short: 'Request a token of a service account',
      usage: 'kubectl create token SERVICE_ACCOUNT_NAME [options]',
      flags: [
        printFlags,
        `
      --audience stringArray Audience of the token; may be repeated.
      --bound-object-kind string Kind of the object that the token is bound to: Node, Pod or Secret.
      --bound-object-name string Name of the object that the token is bound to.
      --bound-object-uid string UID of the object that the token is bound to; that of the existing object by default.
      --duration duration=0s Requested lifetime of the token.
    `,
      ],
      run: () => import('../commands/create/token.js'),
    },
  ],
  run: () => import('../commands/create/create.js'),
};
