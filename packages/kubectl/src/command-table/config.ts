import type { CommandSpec } from '../command/command-spec.js';
import { printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'config',
  short: 'Change kubeconfig files',
  usage: 'kubectl config SUBCOMMAND [options]',
  subcommands: [
    {
      name: 'current-context',
      short: 'Print the current context',
      usage: 'kubectl config current-context [flags] [options]',
      run: () => import('../commands/config/current-context.js'),
    },
    {
      name: 'delete-cluster',
      short: 'Delete a cluster from the kubeconfig',
      usage: 'kubectl config delete-cluster NAME [options]',
      run: () => import('../commands/config/delete-cluster.js'),
    },
    {
      name: 'delete-context',
      short: 'Delete a context from the kubeconfig',
      usage: 'kubectl config delete-context NAME [options]',
      run: () => import('../commands/config/delete-context.js'),
    },
    {
      name: 'delete-user',
      short: 'Delete a user from the kubeconfig',
      usage: 'kubectl config delete-user NAME [options]',
      run: () => import('../commands/config/delete-user.js'),
    },
    {
      name: 'get-clusters',
      short: 'Print the clusters of the kubeconfig',
      usage: 'kubectl config get-clusters [flags] [options]',
      run: () => import('../commands/config/get-clusters.js'),
    },
    {
      name: 'get-contexts',
      short: 'Print the contexts of the kubeconfig',
      usage: 'kubectl config get-contexts [(-o|--output=)name)] [options]',
      flags: [
        `
      --no-headers bool=false Print no column headers.
      -o, --output string Output format.
    `,
      ],
      run: () => import('../commands/config/get-contexts.js'),
    },
    {
      name: 'get-users',
      short: 'Print the users of the kubeconfig',
      usage: 'kubectl config get-users [flags] [options]',
      run: () => import('../commands/config/get-users.js'),
    },
    {
      name: 'rename-context',
      short: 'Rename a context of the kubeconfig',
      usage: 'kubectl config rename-context CONTEXT_NAME NEW_NAME [options]',
      run: () => import('../commands/config/rename-context.js'),
    },
    {
      name: 'set',
      short: 'Set one value of a kubeconfig file',
      usage: 'kubectl config set PROPERTY_NAME PROPERTY_VALUE [options]',
      flags: [
        `
      --set-raw-bytes bool=false Write the value as it is, without decoding base64.
    `,
      ],
      run: () => import('../commands/config/set.js'),
    },
    {
      name: 'set-cluster',
      short: 'Set a cluster in the kubeconfig',
      usage:
        'kubectl config set-cluster NAME [--server=server] [--certificate-authority=path/to/certificate/authority] [--insecure-skip-tls-verify=true] [--tls-server-name=example.com] [options]',
      flags: [
        `
      --certificate-authority string File with the certificate authority of the cluster.
      --embed-certs bool=false Embed the content of certificate files in the kubeconfig.
      --insecure-skip-tls-verify bool=false Do not verify the server's certificate. Insecure.
      --proxy-url string Proxy for the cluster.
      --server string Server of the cluster.
      --tls-server-name string Name that the server's certificate must have.
    `,
      ],
      run: () => import('../commands/config/set-cluster.js'),
    },
    {
      name: 'set-context',
      short: 'Set a context in the kubeconfig',
      usage:
        'kubectl config set-context [NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace] [options]',
      flags: [
        `
      --cluster string Cluster of the context.
      --current bool=false Change the current context.
      -n, --namespace string Namespace of the context.
      --user string User of the context.
    `,
      ],
      run: () => import('../commands/config/set-context.js'),
    },
    {
      name: 'set-credentials',
      short: 'Set a user in the kubeconfig',
      usage:
        'kubectl config set-credentials NAME [--client-certificate=path/to/certfile] [--client-key=path/to/keyfile] [--token=bearer_token] [--username=basic_user] [--password=basic_password] [--auth-provider=provider_name] [--auth-provider-arg=key=value] [--exec-command=exec_command] [--exec-api-version=exec_api_version] [--exec-arg=arg] [--exec-env=key=value] [options]',
      flags: [
        `
      --auth-provider string Authentication provider of the user.
      --auth-provider-arg stringSlice Argument of the authentication provider, as key=value.
      --client-certificate string File with the client certificate of the user.
      --client-key string File with the client key of the user.
      --embed-certs bool=false Embed the content of certificate files in the kubeconfig.
      --exec-api-version string API version of the credential plugin.
      --exec-arg stringSlice Arguments of the credential plugin.
      --exec-command string Command of the credential plugin.
      --exec-env stringSlice Environment variable of the credential plugin, as key=value.
      --exec-interactive-mode string Whether the credential plugin may use standard input: Never, IfAvailable or Always.
      --exec-provide-cluster-info bool=false Tell the credential plugin about the cluster.
      --password string Password of the user.
      --token string Bearer token of the user.
      --username string Name of the user.
    `,
      ],
      run: () => import('../commands/config/set-credentials.js'),
    },
    {
      name: 'unset',
      short: 'Remove one value of a kubeconfig file',
      usage: 'kubectl config unset PROPERTY_NAME [options]',
      run: () => import('../commands/config/unset.js'),
    },
    {
      name: 'use-context',
      aliases: ['use'],
      short: 'Set the current context of a kubeconfig file',
      usage: 'kubectl config use-context CONTEXT_NAME [options]',
      run: () => import('../commands/config/use-context.js'),
    },
    {
      name: 'view',
      short: 'Print the merged kubeconfig or one file',
      usage: 'kubectl config view [flags] [options]',
      flags: [
        printFlags,
        `
      --flatten bool=false Make the output self-contained: files are embedded.
      --merge bool=true Merge all kubeconfig files.
      --minify bool=false Only what the current context uses.
      --raw bool=false Print secrets and bytes too.
    `,
      ],
      run: () => import('../commands/config/view.js'),
    },
  ],
};
