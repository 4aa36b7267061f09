export { createFetchTransport, type FetchTransportOptions } from './fetch-transport.js';
export { webClock } from './web-clock.js';
export { createWebRandom } from './web-random.js';
export type { WebSocketConstructor, WebSocketLike } from './web-socket-connect.js';
