// Connects without pause until its input ends, four at a time, then prints how many answers it got and what failed: URL
import { request } from 'node:http';

const [url] = process.argv.slice(2);
const failures = new Map();
let answers = 0;
let running = true;
process.stdin.on('end', () => {
  running = false;
});
process.stdin.resume();

function ask() {
  return new Promise((resolve) => {
    const outgoing = request(url, { agent: false, timeout: 20_000 }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200 ? undefined : `status ${response.statusCode}`));
      response.on('error', (error) => resolve(error.code ?? error.message));
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('timed out')));
    outgoing.on('error', (error) => resolve(error.code ?? error.message));
    outgoing.end();
  });
}

async function client() {
  while (running) {
    const failure = await ask();
    if (failure === undefined) answers++;
    else failures.set(failure, (failures.get(failure) ?? 0) + 1);
  }
}

console.log('ready');
await Promise.all([client(), client(), client(), client()]);
console.log(JSON.stringify({ answers, failures: Object.fromEntries(failures) }));
