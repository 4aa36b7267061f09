export { type ChosenEndpoints, chooseEndpoints, type Topology } from './choose-endpoints.js';
export { type Endpoint, endpointsOf, serviceOfSlice } from './endpoint.js';
export {
  type ForwardedPort,
  forwardedPorts,
  NodePortProxy,
  type NodePortProxyOptions,
  type PortForwarder,
} from './node-port-proxy.js';
export type {
  Affinity,
  Connections,
  HealthCheckPorts,
  PacketFilter,
  ServiceHealth,
  StaleConnections,
} from './packet-filter.js';
export { type ProxyConfiguration, parseProxyConfiguration, usualProxyConfiguration } from './proxy-configuration.js';
export { healthPages, metricsPages, type ProxyMode, type ProxyPagesOptions } from './proxy-pages.js';
export { dropTable, familyWord, proxyTable, type TableOptions } from './proxy-table.js';
export { type Family, isProxied, type Protocol, type ServicePort, servicePorts } from './service-port.js';
export { ServiceProxy, type ServiceProxyOptions } from './service-proxy.js';
