import { expect, test } from 'vitest';
import { commands } from '../commands/registry.ts';
import { UrlTemplate } from './urls.ts';

test.each(['http://h/\r\nHost: x', '\thttp://h', 'http://h\0', 'http://h/\u007f', 'http://h/\u0085'])(
  'rejects the URL %j',
  (url) => {
    expect(UrlTemplate.safeParse(url).success).toBe(false);
  },
);

test.each(['http://h/{{PATH}}?a= b', '{{HOOK}}', '{{HOOK}}/a\n', 'http://h/\u00e9'])('accepts the URL %j', (url) => {
  expect(UrlTemplate.parse(url)).toBe(url);
});

const bad = 'http://h/\r\nHost: x';
test.each([
  ['create_cron_trigger', { name: 'c', webhook: bad, schedule: '* * * * *', include_in_metadata: true }, 'webhook'],
  ['add_remote_schema', { name: 'r', definition: { url: bad } }, 'definition.url'],
  ['create_action', { name: 'a', definition: { handler: bad, output_type: 'String' } }, 'definition.handler'],
])('%s rejects a URL with a line break and names its path', (name, given, path) => {
  const command = commands.get(name);
  const issues = command?.arguments.safeParse(given).error?.issues ?? [];
  expect(issues.map((issue) => issue.path.join('.'))).toEqual([path]);
});
