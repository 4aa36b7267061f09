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

/** The calls of CRI that nothing is played for: those that only change settings go well, the others are refused. */
export class UnsimulatedCalls {
  updateRuntimeConfig = (): Promise<UpdateRuntimeConfigResponse> => Promise.resolve({});
  updateContainerResources = (): Promise<UpdateContainerResourcesResponse> => Promise.resolve({});
  updatePodSandboxResources = (): Promise<UpdatePodSandboxResourcesResponse> => Promise.resolve({});
  reopenContainerLog = (): Promise<ReopenContainerLogResponse> => Promise.resolve({});
  runtimeConfig = (): Promise<RuntimeConfigResponse> => Promise.resolve({ linux: { cgroupDriver: 0 } });
  checkpointContainer = (): Promise<CheckpointContainerResponse> => refuse('CheckpointContainer');
  containerStats = (): Promise<ContainerStatsResponse> => refuse('ContainerStats');
  listContainerStats = (): Promise<ListContainerStatsResponse> => refuse('ListContainerStats');
  listMetricDescriptors = (): Promise<ListMetricDescriptorsResponse> => refuse('ListMetricDescriptors');
  listPodSandboxMetrics = (): Promise<ListPodSandboxMetricsResponse> => refuse('ListPodSandboxMetrics');
  streamContainerStats = (): AsyncIterable<StreamContainerStatsResponse> => refuseStream('StreamContainerStats');
  streamPodSandboxStats = (): AsyncIterable<StreamPodSandboxStatsResponse> => refuseStream('StreamPodSandboxStats');
  streamPodSandboxMetrics = (): AsyncIterable<StreamPodSandboxMetricsResponse> =>
    refuseStream('StreamPodSandboxMetrics');
}

function refuse(call: string): Promise<never> {
  return Promise.reject(new CriError('Unimplemented', `${call} is not simulated`));
}

function refuseStream(call: string): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: () => refuse(call) }) };
}
