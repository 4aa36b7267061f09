export { spdyConnect } from './spdy-connect.js';
export { webSocketConnect } from './web-socket-connect.js';
