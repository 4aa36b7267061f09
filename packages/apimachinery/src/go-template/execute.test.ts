import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GoTemplate } from './execute.js';
import { TemplateError } from './lexer.js';

const pod = {
  kind: 'Pod',
  metadata: { name: 'web', labels: { app: 'shop', tier: 'front' } },
  spec: {
    containers: [
      { name: 'a', image: 'nginx' },
      { name: 'b', image: 'redis' },
    ],
    replicas: 3,
  },
};

describe('Go templates', () => {
  test.each([
    ['{{.kind}}/{{.metadata.name}}', 'Pod/web'],
    ['{{range .spec.containers}}{{.name}}={{.image}};{{end}}', 'a=nginx;b=redis;'],
    ['{{range $i, $c := .spec.containers}}{{if $i}},{{end}}{{$c.name}}{{end}}', 'a,b'],
    ['{{range $k, $v := .metadata.labels}}{{$k}}={{$v}} {{end}}', 'app=shop tier=front '],
    ['{{range .nothing}}x{{else}}none{{end}}', 'none'],
    ['{{.nothing.at.all}}', '<no value>'],
    ['{{with .metadata.labels}}{{.app}}{{end}}', 'shop'],
    ['{{if and (eq .kind "Pod") (ne .metadata.name "db")}}yes{{else}}no{{end}}', 'yes'],
    ['{{len .spec.containers}} {{index .spec.containers 1 "name"}}', '2 b'],
    ['{{printf "%s/%-5s|%05d" .kind .metadata.name 42}}', 'Pod/web  |00042'],
    ['{{printf "%q %v" .kind .metadata.labels}}', '"Pod" map[app:shop tier:front]'],
    ['{{ .kind -}}  x', 'Podx'],
    ['{{/* nothing */}}{{"a\\tb"}}', 'a\tb'],
    ['{{define "T"}}[{{.}}]{{end}}{{template "T" .kind}}', '[Pod]'],
    ['{{block "B" .kind}}<{{.}}>{{end}}', '<Pod>'],
    ['{{range .spec.containers}}{{if eq .name "b"}}{{break}}{{end}}{{.name}}{{end}}', 'a'],
    ['{{$x := 1}}{{range .spec.containers}}{{$x = 2}}{{end}}{{$x}}', '2'],
    ['{{.metadata.none}}', '<no value>'],
    ['{{slice .metadata.name 1 3}} {{not true}} {{or "" "b"}} {{lt 1 2}}', 'eb false b true'],
    ['{{html "<a>"}} {{urlquery "a b"}} {{print 1 2 "x"}}', '&lt;a&gt; a+b 1 2x'],
    ['{{exists .metadata "labels" "app"}} {{exists .metadata "x"}}', 'true false'],
    ['{{"YnVveQ==" | base64decode}}', 'buoy'],
  ])('%s gives %j', (template, text) => {
    expect(new GoTemplate(template).execute(pod)).toBe(text);
  });

  test.each([
    ['{{.a', 'template: output:1: unclosed action'],
    ['{{nofunc .x}}', 'template: output:1: function "nofunc" not defined'],
    ['{{$x}}', 'template: output:1: undefined variable "$x"'],
    ['{{end}}', 'template: output:1: unexpected {{end}}'],
  ])('refuses %s', (template, message) => {
    expect(() => new GoTemplate(template)).toThrow(new TemplateError(message));
  });

  test('says where a key is missing', () => {
    expect(() => new GoTemplate('{{.metadata.nothing}}').execute(pod, { strict: true })).toThrow(
      'template: output:1:11: executing "output" at <.metadata.nothing>: map has no entry for key "nothing"',
    );
  });

  test('any text is a template or a template error', () => {
    const piece = fc.constantFrom(
      '{{',
      '}}',
      '.a',
      ' ',
      'range',
      'end',
      'if',
      '|',
      '"x"',
      '$x',
      ':=',
      '(',
      ')',
      '1',
      'printf',
      '-',
      'else',
      'index',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          new GoTemplate(pieces.join('')).execute(pod);
        } catch (error) {
          expect(error).toBeInstanceOf(TemplateError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
