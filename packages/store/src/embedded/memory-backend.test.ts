import { describeBackend } from '@coracle/testing';
import { MemoryBackend } from './memory-backend.js';

describeBackend('memory', async () => new MemoryBackend());
