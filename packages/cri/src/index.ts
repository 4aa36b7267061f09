export { CriError, type CriErrorCode, criErrorCodes, isCriError, rpcTextOf } from './cri-error.js';
export { layout } from './generated/layout.js';
export * from './generated/messages.js';
export type { ImageService, RuntimeService } from './generated/services.js';
export { type Codec, createCodec, type Layout } from './protobuf/codec.js';
