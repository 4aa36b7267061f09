import type { ComponentOptions } from '@coracle/cluster';
import { type Command, InvalidArgumentError } from 'commander';
import { durationFlag, parseCount } from './flag-values.js';

/** Options of the controllers of endpoints and endpoint slices. */
export interface EndpointFlags {
  readonly maxEndpointsPerSlice: number;
  readonly mirroringMaxEndpointsPerSubset: number;
  readonly endpointUpdatesBatchPeriod: number;
  readonly endpointsliceUpdatesBatchPeriod: number;
  readonly mirroringEndpointsliceUpdatesBatchPeriod: number;
}

export function addEndpointFlags(command: Command): Command {
  return command
    .option('--max-endpoints-per-slice <n>', 'maximum number of endpoints in an EndpointSlice', parseCount, 100)
    .option(
      '--mirroring-max-endpoints-per-subset <n>',
      'maximum number of addresses of an Endpoints subset that are mirrored to EndpointSlices',
      parseMirrored,
      1000,
    )
    .addOption(durationFlag('endpoint-updates-batch-period', 'delay of Endpoints updates after changes of pods', 0))
    .addOption(
      durationFlag('endpointslice-updates-batch-period', 'delay of EndpointSlice updates after changes of pods', 0),
    )
    .addOption(
      durationFlag(
        'mirroring-endpointslice-updates-batch-period',
        'delay of mirroring after changes of mirrored EndpointSlices',
        0,
      ),
    );
}

export function endpointSettings(
  flags: EndpointFlags,
): Pick<NonNullable<ComponentOptions['controllers']>, 'endpoints' | 'endpointSlice' | 'endpointSliceMirroring'> {
  return {
    endpoints: { batchMs: flags.endpointUpdatesBatchPeriod },
    endpointSlice: { maxEndpoints: flags.maxEndpointsPerSlice, batchMs: flags.endpointsliceUpdatesBatchPeriod },
    endpointSliceMirroring: {
      maxEndpoints: flags.mirroringMaxEndpointsPerSubset,
      batchMs: flags.mirroringEndpointsliceUpdatesBatchPeriod,
    },
  };
}

/** A subset is mirrored into one slice, which has no room for more. */
function parseMirrored(text: string): number {
  const most = parseCount(text);
  if (most < 1 || most > 1000) throw new InvalidArgumentError('it must be between 1 and 1000');
  return most;
}
