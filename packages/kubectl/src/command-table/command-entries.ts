import type { CommandSpec } from '../command/command-spec.js';

/** A command of the first level: enough for help and lookup; the rest is loaded when it is run. */
export interface CommandEntry {
  readonly name: string;
  readonly short: string;
  readonly group: string;
  readonly hidden?: boolean;
  readonly load: () => Promise<{ readonly command: CommandSpec }>;
}

export const commandEntries: readonly CommandEntry[] = [
  {
    name: 'create',
    group: 'Basic Commands (Beginner):',
    short: 'Create objects from files or standard input',
    load: () => import('./create.js'),
  },
  {
    name: 'expose',
    group: 'Basic Commands (Beginner):',
    short: 'Create a service for a resource',
    load: () => import('./expose.js'),
  },
  { name: 'run', group: 'Basic Commands (Beginner):', short: 'Run an image in a pod', load: () => import('./run.js') },
  { name: 'set', group: 'Basic Commands (Beginner):', short: 'Set fields of objects', load: () => import('./set.js') },
  {
    name: 'explain',
    group: 'Basic Commands (Intermediate):',
    short: 'Describe the fields of resources',
    load: () => import('./explain.js'),
  },
  {
    name: 'get',
    group: 'Basic Commands (Intermediate):',
    short: 'Print one or many objects',
    load: () => import('./get.js'),
  },
  {
    name: 'edit',
    group: 'Basic Commands (Intermediate):',
    short: 'Edit an object on the server',
    load: () => import('./edit.js'),
  },
  {
    name: 'delete',
    group: 'Basic Commands (Intermediate):',
    short: 'Delete objects by file, name or selector',
    load: () => import('./delete.js'),
  },
  {
    name: 'rollout',
    group: 'Deploy Commands:',
    short: 'Manage rollouts of workloads',
    load: () => import('./rollout.js'),
  },
  { name: 'scale', group: 'Deploy Commands:', short: 'Set the number of replicas', load: () => import('./scale.js') },
  {
    name: 'autoscale',
    group: 'Deploy Commands:',
    short: 'Create an autoscaler for a deployment, replica set, stateful set or replication controller',
    load: () => import('./autoscale.js'),
  },
  {
    name: 'certificate',
    group: 'Cluster Management Commands:',
    short: 'Approve or deny certificate signing requests',
    load: () => import('./certificate.js'),
  },
  {
    name: 'cluster-info',
    group: 'Cluster Management Commands:',
    short: 'Print the addresses of the control plane and of cluster services',
    load: () => import('./cluster-info.js'),
  },
  { name: 'top', group: 'Cluster Management Commands:', short: 'Print resource usage', load: () => import('./top.js') },
  {
    name: 'cordon',
    group: 'Cluster Management Commands:',
    short: 'Mark a node as unschedulable',
    load: () => import('./cordon.js'),
  },
  {
    name: 'uncordon',
    group: 'Cluster Management Commands:',
    short: 'Mark a node as schedulable',
    load: () => import('./uncordon.js'),
  },
  {
    name: 'drain',
    group: 'Cluster Management Commands:',
    short: 'Remove all pods from a node for maintenance',
    load: () => import('./drain.js'),
  },
  {
    name: 'taint',
    group: 'Cluster Management Commands:',
    short: 'Update the taints of nodes',
    load: () => import('./taint.js'),
  },
  {
    name: 'describe',
    group: 'Troubleshooting and Debugging Commands:',
    short: 'Show the details of objects',
    load: () => import('./describe.js'),
  },
  {
    name: 'logs',
    group: 'Troubleshooting and Debugging Commands:',
    short: 'Print the logs of a container',
    load: () => import('./logs.js'),
  },
  {
    name: 'attach',
    group: 'Troubleshooting and Debugging Commands:',
    short: 'Attach to the main process of a container',
    load: () => import('./attach.js'),
  },
  {
    name: 'exec',
    group: 'Troubleshooting and Debugging Commands:',
    short: 'Run a command in a container',
    load: () => import('./exec.js'),
  },
  {
    name: 'port-forward',
    group: 'Troubleshooting and Debugging Commands:',
    short: 'Forward local ports to a pod',
    load: () => import('./port-forward.js'),
  },
  {
    name: 'proxy',
    group: 'Troubleshooting and Debugging Commands:',
    short: 'Run a proxy to the API server',
    load: () => import('./proxy.js'),
  },
  {
    name: 'cp',
    group: 'Troubleshooting and Debugging Commands:',
    short: 'Copy files and directories to and from containers',
    load: () => import('./cp.js'),
  },
  {
    name: 'auth',
    group: 'Troubleshooting and Debugging Commands:',
    short: 'Inspect authorization',
    load: () => import('./auth.js'),
  },
  {
    name: 'debug',
    group: 'Troubleshooting and Debugging Commands:',
    short: 'Debug pods and nodes with ephemeral containers and copies',
    load: () => import('./debug.js'),
  },
  {
    name: 'events',
    group: 'Troubleshooting and Debugging Commands:',
    short: 'List events',
    load: () => import('./events.js'),
  },
  { name: 'diff', group: 'Advanced Commands:', short: 'Show what apply would change', load: () => import('./diff.js') },
  {
    name: 'apply',
    group: 'Advanced Commands:',
    short: 'Apply a configuration from files or standard input',
    load: () => import('./apply.js'),
  },
  { name: 'patch', group: 'Advanced Commands:', short: 'Change fields of an object', load: () => import('./patch.js') },
  {
    name: 'replace',
    group: 'Advanced Commands:',
    short: 'Replace objects by file or standard input',
    load: () => import('./replace.js'),
  },
  {
    name: 'wait',
    group: 'Advanced Commands:',
    short: 'Wait for a condition of objects',
    load: () => import('./wait.js'),
  },
  {
    name: 'kustomize',
    group: 'Advanced Commands:',
    short: 'Build the objects of a kustomization',
    load: () => import('./kustomize.js'),
  },
  {
    name: 'label',
    group: 'Settings Commands:',
    short: 'Update the labels of objects',
    load: () => import('./label.js'),
  },
  {
    name: 'annotate',
    group: 'Settings Commands:',
    short: 'Update the annotations of objects',
    load: () => import('./annotate.js'),
  },
  {
    name: 'completion',
    group: 'Settings Commands:',
    short: 'Print shell completion code for bash, zsh, fish or powershell',
    load: () => import('./completion.js'),
  },
  {
    name: 'api-resources',
    group: 'Other Commands:',
    short: 'Print the resources that the server has',
    load: () => import('./api-resources.js'),
  },
  {
    name: 'api-versions',
    group: 'Other Commands:',
    short: 'Print the API versions that the server has, as "group/version"',
    load: () => import('./api-versions.js'),
  },
  { name: 'config', group: 'Other Commands:', short: 'Change kubeconfig files', load: () => import('./config.js') },
  {
    name: 'kuberc',
    group: 'Other Commands:',
    short: 'Change the kuberc preferences',
    load: () => import('./kuberc.js'),
  },
  { name: 'plugin', group: 'Other Commands:', short: 'Work with plugins', load: () => import('./plugin.js') },
  {
    name: 'version',
    group: 'Other Commands:',
    short: 'Print the versions of client and server',
    load: () => import('./version.js'),
  },
  {
    name: 'options',
    group: 'Other Commands:',
    short: 'Print the flags that all commands have',
    hidden: true,
    load: () => import('./options.js'),
  },
  {
    name: 'alpha',
    group: 'Other Commands:',
    short: 'Commands for alpha features',
    hidden: true,
    load: () => import('./alpha.js'),
  },
  {
    name: 'why',
    group: 'Troubleshooting and Debugging Commands:',
    short: 'Explain why a pod does not run or an action is denied',
    hidden: true,
    load: () => import('./why.js'),
  },
];
