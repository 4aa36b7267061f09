#!/usr/bin/env node
// Fails on a name or a word that says less than the field's own: a participle that stands for a noun (`known` for
// cached nodes), or a word that hides who acts (`whoever` for a client). Of strings, only names of tests are read: others
// are wire format.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** No identifier is one of these alone. A boolean says `isKnown`; anything else is named by what it holds. */
const bareParticiples = [
  'known',
  'told',
  'kept',
  'said',
  'heard',
  'given',
  'asked',
  'wanted',
  'meant',
  'wished',
  'spoken',
  'promised',
  'courteous',
];

/** What comments and documents do not say, and what they say instead. */
const words = [
  [/\bwhoever\b/i, 'the client, the caller, a user who …'],
  [/\bnobody\b/i, 'no client, no controller, unused, anonymous …'],
  [/\b(?:some|any|every)body\b/i, 'the client, another user, each watcher …'],
  [/\btold\b/i, 'receives, is notified, is reported, is called with, is distinguished …'],
  [/\bleft alone\b/i, 'unchanged, ignored'],
  [/\bhas it that\b/i, 'says'],
  [/\bcourteous/i, 'throttled'],
  [/\bvouch/i, 'verifies'],
  [/\bgets? to hear\b/i, 'is notified'],
  [/\bwants? to hear\b/i, 'is notified'],
  [
    /\bfindings?\b/i,
    'field error, or problem',
    /(?:than|in|help in) finding\b|\bfinding (?:out|it|those)\b|^\W*Finding,/,
  ],
  [/\bquiet keys?\b/i, 'coalescing'],
  [/\bowners? of fields\b/i, 'field manager'],
  [/\bpromised\b(?! to)/i, 'nominated'],
  [/\bthe release\b/i, 'upstream v1.36', /the release (?:that the policy|whose checks)/i],
  [/\bby chance\b/i, 'at random'],
  [/\bc[ao]mes? to rest\b/i, 'is idle'],
  [/\b(?:hears?|heard)\b/i, 'receives, is notified'],
  [/\btells? of\b/i, 'reports'],
  [/\bspeaks? (?:of|for)\b/i, 'refers to, covers, acts as'],
  [/\bbelieves?\b/i, 'assumes, trusts, relies on', /not believe that they work/],
  [/\b(?:is|are|was|were|be|been) asked\b/i, 'is called, is requested, is read'],
  [/\bas good as\b/i, 'counts as, practically'],
  [/\b(?:in vain|polite|strangers?|to blame)\b/i, 'what happens, directly'],
  [/\b(?:anew|for ever)\b/i, 'again; without limit'],
  [/\b(?:lest|for want of|by birth)\b/i, 'so that … not; because … is missing; inherited'],
  [/\bwhom\b/i, 'the user, the client, the component that …'],
  [/\b(?:is|are|was|were|be) said\b/i, 'is reported, is set, is logged'],
  [/\bsa(?:ys|id) nothing\b/i, 'is absent, has none'],
  [/\blets? (?:(?:them|it|him|her) )?in\b/i, 'authenticates, allows'],
  [/\b(?:none of (?:its|our|their) business|of ours)\b/i, 'ignored; of Coracle'],
  [/\bin (?:its|their|our) own words\b/i, 'with its messages'],
  [/\bcomes? to nothing\b/i, 'is zero, fails'],
  [/\b(?:heeds?|speaks? against)\b/i, 'follows, handles; forbids'],
  [/\bwish(?:es|ed)?\b/i, 'desired, requested'],
  [/\bjudg(?:e|es|ed|ing)\b/i, 'validates, evaluates, decides'],
  [/\bsigns? of life\b/i, 'heartbeat, response'],
  [/\bwhat (?:becomes?|became) of\b/i, 'what happens to'],
  [/\bhow (?:it stands|things are)\b/i, 'the state'],
  [/\bbears? (?:the|its|a|an)\b|\bdice\b/i, 'has; randomness'],
  [/\bsays? of\b/i, 'says about; the fields, the status, the message of …'],
  [/\bas [\w' ]{2,30} (?:has|have) it\b/i, 'as in …'],
  [/\b(?:to|can|could|cannot) be had\b/i, 'is available'],
  [/\bshall\b/i, 'must, should'],
  [/\bin the words of\b/i, 'with the message of …'],
  [/\b(?:all|those|others) who\b/i, 'all users who, clients that …', /\busers?\b|\badministrators?\b/i],
  [/\b(?:has|have) come\b(?! to mind)/i, 'has arrived, exists, was added, has started'],
  [/\b(?:is|are|was|were) taken for\b|\btakes? (?:it|them) for\b/i, 'counts as'],
  [/\bsees? to it\b/i, 'ensures'],
  [/\bwhat c[ao]mes? of\b/i, 'the result of'],
  [/\ball the same\b/i, 'nevertheless, still'],
  [/\b(?:laid|lays?) over\b/i, 'merged into'],
  [/\bat rest\b/i, 'idle', /encrypt|collect-at-rest/i],
  [/\bpass(?:es|ed) over\b/i, 'skips, ignores'],
  [/\bwork(?:s|ed)? out\b/i, 'computes, evaluates'],
  [/\b(?:is|are|be) looked into\b/i, 'is checked'],
  [/\bno matter of\b/i, 'is not part of'],
  [/\bin the place of\b/i, 'replaces, instead of'],
];

/** Names that are data of a format, and the file that has them. */
const dataNames = [['tools/generate-api/schemas.mjs', 'given']];

/** Files that are not ours to word. */
const exempt =
  /(?:^|\/)generated\/|^CHANGELOG\.md$|^docs\/spec-ids\.md$|^tools\/check-words\.mjs$|^apps\/dashboard\/src\/words\//;

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.mjs', '*.md'], {
  encoding: 'utf8',
});
const files = listed.split('\n').filter((file) => file !== '' && !exempt.test(file));
const bare = new RegExp(`(?<![\\w$])[#_]?(?:${bareParticiples.join('|')})(?![\\w$-])`, 'g');
const comment = /\/\*[\s\S]*?\*\/|\/\/.*/g;
const testName = /(?<=\b(?:test|it|describe)(?:\.\w+)*\(\s*|\]\)\()(?:'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)/g;
const notCode =
  /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/(?![*/ ])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*/g;

const problems = files.flatMap((file) => {
  const text = read(file);
  if (file.endsWith('.md')) return wordsIn(file, text);
  return [
    ...namesIn(file, text.replace(notCode, blank)),
    ...wordsIn(file, only(comment, text)),
    ...wordsIn(file, only(testName, text)),
  ];
});
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? `the words of ${files.length} files are plain` : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

function namesIn(file, code) {
  return code
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(bare)]
        .filter(([name]) => !dataNames.some(([place, word]) => place === file && word === name))
        .map(([name]) => `${file}:${index + 1}: the name ${name} does not say what it holds`),
    );
}

function wordsIn(file, text) {
  return text
    .split('\n')
    .flatMap((line, index) =>
      words
        .filter(([word, , allowed]) => word.test(line) && !allowed?.test(line))
        .map(([word, instead]) => `${file}:${index + 1}: ${line.match(word)[0]}: say ${instead}`),
    );
}

/** The text with everything blank but its matches, on the lines where they were. */
function only(pattern, text) {
  let end = 0;
  let result = '';
  for (const match of text.matchAll(pattern)) {
    result += blank(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return result;
}

function blank(text) {
  return text.replace(/[^\n]/g, ' ');
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It is deleted, and git does not know that yet.
    return '';
  }
}
