/** Why a text is not an IP address, with Go's message, and the rest of the text from the error on. */
interface Problem {
  readonly what: string;
  readonly at?: string;
}

/** Of a text that is no address. */
export function addressProblem(text: string): string {
  const { what, at } = problemOf(text);
  return at === undefined ? what : `${what} (at ${JSON.stringify(at)})`;
}

function problemOf(text: string): Problem {
  const first = /[.:%]/.exec(text)?.[0];
  if (first === '.') return ipv4Problem(text) ?? unknown;
  if (first === ':') return ipv6Problem(text);
  return first === '%' ? { what: 'missing IPv6 address' } : unknown;
}

const unknown: Problem = { what: 'unable to parse IP' };

/** Read from left to right: the first thing that is wrong counts. */
function ipv4Problem(text: string): Problem | undefined {
  let fields = 0;
  let digits = '';
  for (const [i, char] of [...text].entries()) {
    if (/\d/.test(char)) {
      if (digits === '0') return { what: 'IPv4 field has octet with leading zero' };
      digits += char;
      if (Number(digits) > 255) return { what: 'IPv4 field has value >255' };
    } else if (char === '.') {
      if (digits === '' || i === text.length - 1)
        return { what: 'IPv4 field must have at least one digit', at: text.slice(i) };
      if (++fields > 3) return { what: 'IPv4 address too long' };
      digits = '';
    } else return { what: 'unexpected character', at: [...text].slice(i).join('') };
  }
  return fields < 3 ? { what: 'IPv4 address too short' } : undefined;
}

const longestGroup = 4;
const groups = 8;
const noRoom = 'too many hex fields to fit an embedded IPv4 at the end of the address';

function ipv6Problem(text: string): Problem {
  const percent = text.indexOf('%');
  if (percent === text.length - 1) return { what: 'zone must be a non-empty string' };
  let rest = percent < 0 ? text : text.slice(0, percent);
  let hasGap = rest.startsWith('::');
  if (hasGap) rest = rest.slice(2);
  let count = 0;
  while (count < groups && rest !== '') {
    const group = /^[\da-f]*/i.exec(rest)?.[0] ?? '';
    if (group.length > longestGroup) return { what: 'each group must have 4 or fewer digits', at: rest };
    if (group === '') return { what: 'each colon-separated field must have at least one digit', at: rest };
    if (rest[group.length] === '.') return embeddedProblem(rest, count, hasGap) ?? endProblem('', count + 2, hasGap);
    count++;
    const next = rest.slice(group.length);
    if (next === '') return endProblem('', count, hasGap);
    if (!next.startsWith(':')) return { what: 'unexpected character, want colon', at: next };
    if (next === ':') return { what: 'colon must be followed by more characters', at: next };
    rest = next.slice(1);
    if (!rest.startsWith(':')) continue;
    if (hasGap) return { what: 'multiple :: in address', at: rest };
    hasGap = true;
    rest = rest.slice(1);
  }
  return endProblem(rest, count, hasGap);
}

/** Of an IPv4 address that stands for the last two groups. */
function embeddedProblem(rest: string, count: number, hasGap: boolean): Problem | undefined {
  if (!hasGap && count !== groups - 2)
    return { what: 'embedded IPv4 address must replace the final 2 fields of the address', at: rest };
  return count > groups - 2 ? { what: noRoom, at: rest } : ipv4Problem(rest);
}

function endProblem(rest: string, count: number, hasGap: boolean): Problem {
  if (rest !== '') return { what: 'trailing garbage after address', at: rest };
  if (count < groups && !hasGap) return { what: 'address string too short' };
  return count >= groups && hasGap ? { what: 'the :: must expand to at least one field of zeros' } : unknown;
}
