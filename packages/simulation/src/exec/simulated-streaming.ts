import type { Random } from '@coracle/base';
import { StreamingServer } from '@coracle/kubelet';
import { SimulatedStreams, type SimulatedStreamsOptions } from './simulated-streams.js';

/** The streams of simulated containers, and the addresses at which clients reach them. */
export class SimulatedStreaming {
  readonly runtime: SimulatedStreams;
  readonly server: StreamingServer;

  constructor(options: SimulatedStreamsOptions & { readonly random: Random }) {
    const { clock, random } = options;
    this.runtime = new SimulatedStreams(options);
    this.server = new StreamingServer({ clock, random, baseUrl: 'simulation:', runtime: this.runtime });
  }
}
