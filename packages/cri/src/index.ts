export { CriError, type CriErrorCode, isCriError } from './cri-error.js';
export { layout } from './generated/layout.js';
export * from './generated/messages.js';
export type { ImageService, RuntimeService } from './generated/services.js';
