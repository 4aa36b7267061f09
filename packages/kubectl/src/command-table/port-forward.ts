import type { CommandSpec } from '../command/command-spec.js';

export const command: CommandSpec = {
  name: 'port-forward',
  short: 'Forward local ports to a pod',
  usage: 'kubectl port-forward TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N]',
  flags: [
    `
    --address stringSlice=localhost Comma-separated addresses to listen on; localhost means 127.0.0.1 and ::1.
    --pod-running-timeout duration=1m0s How long to wait until a pod runs.
  `,
  ],
  run: () => import('../commands/port-forward.js'),
};
