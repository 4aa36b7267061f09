import type { CommandSpec } from '../command/command-spec.js';
import { dryRunFlag, filenameFlags, printFlags } from './shared-flags.js';

export const command: CommandSpec = {
  name: 'expose',
  short: 'Create a service for a resource',
  usage:
    'kubectl expose (-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] [--name=name] [--external-ip=external-ip-of-service] [--type=type] [options]',
  flags: [
    filenameFlags,
    printFlags,
    dryRunFlag,
    `
    --cluster-ip string Cluster IP of the service; None for a headless one, empty to let the server choose.
    --external-ip string External IP address of the service.
    --field-manager string=kubectl-expose Name of the field manager of the changes.
    -l, --labels string Labels of the object, as key=value,...
    --load-balancer-ip string Address of the load balancer.
    --name string Name of the new object.
    --override-type string=merge How --overrides is applied: json, merge or strategic.
    --overrides string JSON that overrides parts of the generated object.
    --port string Port of the service.
    --protocol string Protocol of the service; TCP by default.
    --save-config bool=false Save the configuration in the object's last-applied-configuration annotation.
    --selector string Label selector, such as -l key1=value1,key2!=value2.
    --session-affinity string Session affinity of the service: None or ClientIP.
    --target-port string Name or number of the port of the pods.
    --type string Type of the object.
  `,
  ],
  run: () => import('../commands/expose.js'),
};
