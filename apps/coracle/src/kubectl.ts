import { launch } from './launching/launch.js';

const args = process.argv.slice(2);
void launch({ program: 'kubectl', directory: __dirname, args, require, end: process.exit });
