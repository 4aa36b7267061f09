import {
  type CheckpointContainerResponse,
  type ContainerStatsResponse,
  CriError,
  type ListContainerStatsResponse,
  type ListMetricDescriptorsResponse,
  type ListPodSandboxMetricsResponse,
  type ReopenContainerLogResponse,
  type RuntimeConfigResponse,
  type StreamContainerStatsResponse,
  type StreamPodSandboxMetricsResponse,
  type StreamPodSandboxStatsResponse,
  type UpdateContainerResourcesResponse,
  type UpdatePodSandboxResourcesResponse,
  type UpdateRuntimeConfigResponse,
} from '@coracle/cri';

/** CRI calls that are not simulated: those that only change settings succeed, the others fail. */
export class UnsimulatedCalls {
  updateRuntimeConfig(): Promise<UpdateRuntimeConfigResponse> {
    return Promise.resolve({});
  }

  updateContainerResources(): Promise<UpdateContainerResourcesResponse> {
    return Promise.resolve({});
  }

  updatePodSandboxResources(): Promise<UpdatePodSandboxResourcesResponse> {
    return Promise.resolve({});
  }

  reopenContainerLog(): Promise<ReopenContainerLogResponse> {
    return Promise.resolve({});
  }

  runtimeConfig(): Promise<RuntimeConfigResponse> {
    return Promise.resolve({ linux: { cgroupDriver: 0 } });
  }

  checkpointContainer(): Promise<CheckpointContainerResponse> {
    return refuse('CheckpointContainer');
  }

  containerStats(): Promise<ContainerStatsResponse> {
    return refuse('ContainerStats');
  }

  listContainerStats(): Promise<ListContainerStatsResponse> {
    return refuse('ListContainerStats');
  }

  listMetricDescriptors(): Promise<ListMetricDescriptorsResponse> {
    return refuse('ListMetricDescriptors');
  }

  listPodSandboxMetrics(): Promise<ListPodSandboxMetricsResponse> {
    return refuse('ListPodSandboxMetrics');
  }

  streamContainerStats(): AsyncIterable<StreamContainerStatsResponse> {
    return refuseStream('StreamContainerStats');
  }

  streamPodSandboxStats(): AsyncIterable<StreamPodSandboxStatsResponse> {
    return refuseStream('StreamPodSandboxStats');
  }

  streamPodSandboxMetrics(): AsyncIterable<StreamPodSandboxMetricsResponse> {
    return refuseStream('StreamPodSandboxMetrics');
  }
}

function refuse(call: string): Promise<never> {
  return Promise.reject(new CriError('Unimplemented', `${call} is not simulated`));
}

function refuseStream(call: string): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: () => refuse(call) }) };
}
