/** Tests of the code for clients. */
import { expect, test } from 'vitest';
import { type SnippetParts, snippets } from './snippets.ts';

const parts: SnippetParts = {
  query: `query A($n: Int) {\n  a(b: "it's \`\${x}\` \\\\ done", n: $n)\n}`,
  variables: '{"n": 1, "on": true}',
  operationName: 'A',
  kind: 'query',
  headers: { 'x-service-role': "o'user" },
  origin: 'http://localhost:8080',
  headerPrefix: 'x-service-',
  sendsSecret: true,
};

const write = (name: string, changes: Partial<SnippetParts> = {}): string =>
  snippets.find((one) => one.name === name)?.write({ ...parts, ...changes }) ?? '';

/** Reads the text of the template literal. */
function literalIn(code: string): string {
  const [, text = ''] = /= (?:gql)?`((?:\\.|[^`\\])*)`;/s.exec(code) ?? [];
  return text.replaceAll(/\\(.)/g, '$1').trim();
}

test('the operation in JavaScript is the one of the editor, whatever characters it has', () => {
  for (const name of ['fetch', 'Apollo Client', 'urql', 'graphql-request']) {
    expect(literalIn(write(name)).replace(/^ {2}/gm, ''), name).toBe(parts.query);
  }
});

test('code reads the admin secret from the environment, and only where it is sent', () => {
  for (const { name, write: code } of snippets) {
    expect(code(parts), name).toMatch(/ADMIN_SECRET/);
    expect(code({ ...parts, sendsSecret: false }), name).not.toMatch(/ADMIN_SECRET/);
  }
});

test('sends the role and the variables', () => {
  expect(write('fetch')).toContain("'x-service-role': 'o\\'user',");
  expect(write('fetch')).toContain("body: JSON.stringify({ query, variables, operationName: 'A' })");
  expect(write('Python')).toContain('variables = json.loads("{\\"n\\": 1, \\"on\\": true}")');
});

test('calls the method of the kind of operation, and a websocket for subscriptions', () => {
  expect(write('Apollo Client', { kind: 'mutation' })).toContain('client.mutate(');
  expect(write('urql', { kind: 'mutation' })).toContain('client.mutation(');
  for (const name of ['Apollo Client', 'urql']) {
    expect(write(name, { kind: 'subscription' })).toContain("url: 'ws://localhost:8080/v1/graphql'");
  }
  const unable = snippets.filter((one) => one.problem?.({ ...parts, kind: 'subscription' }) !== undefined);
  expect(unable.map(({ name }) => name)).toEqual(['curl', 'fetch', 'graphql-request', 'Python']);
});
