/** Tests of the headers that a request is sent with. */
import { expect, test } from 'vitest';
import { headerLines } from './header-lines.ts';
import { sentHeaders } from './sent-headers.ts';

const none = { role: '', session: '', headers: '', sendsSecret: true };
const json = { 'content-type': 'application/json' };

test('sends headers as written beside the role and the session variables', () => {
  const written = {
    ...none,
    role: 'user',
    session: 'user-id: 7',
    headers: 'Authorization: Bearer x:y\n# X-Off: 1\n\nx-trace: a',
  };
  expect(sentHeaders({ ...written, sendsSecret: false }, 'x-service-').sent).toEqual({
    ...json,
    'x-service-role': 'user',
    'x-service-user-id': '7',
    authorization: 'Bearer x:y',
    'x-trace': 'a',
  });
});

test('requests as admin, unless credentials other than the admin secret decide', () => {
  expect(sentHeaders(none, 'x-service-').sent).toEqual({ ...json, 'x-service-role': 'admin' });
  expect(sentHeaders({ ...none, sendsSecret: false }, 'x-service-').sent).toEqual(json);
});

test('a written header replaces the role, with a warning', () => {
  const { sent, user, headerMarks } = sentHeaders({ ...none, headers: 'X-Service-Role: user' }, 'x-service-');
  expect(sent).toEqual({ ...json, 'x-service-role': 'user' });
  expect(user).toEqual({ 'x-service-role': 'user' });
  expect(headerMarks).toMatchObject([
    { from: 0, to: 14, severity: 'warning', message: 'Replaces `admin` of the role or the session variables' },
  ]);
});

test('warns that a token has no effect beside the admin secret', () => {
  const written = { ...none, headers: 'Authorization: Bearer x' };
  expect(sentHeaders(written, 'x-service-').headerMarks).toMatchObject([{ severity: 'warning' }]);
  expect(sentHeaders({ ...written, sendsSecret: false }, 'x-service-').headerMarks).toEqual([]);
});

test('marks the line of an invalid session variable, and sends nothing', () => {
  const { sent, sessionMarks } = sentHeaders({ ...none, session: 'user-id: 1\nAuthorization: x' }, 'x-service-');
  expect(sent).toBeUndefined();
  expect(sessionMarks).toMatchObject([{ from: 11, to: 27, severity: 'error' }]);
});

test('marks lines that are no header, that are written twice, and that browsers do not send', () => {
  const text = 'nonsense\nX-A: 1\nx-a: 2\nHost: example\nX B: 1\nX-C: \u{1F600}';
  const { headers, marks } = headerLines(text);
  expect(headers.map(({ name }) => name)).toEqual(['X-A']);
  expect(marks.map(({ from, to }) => text.slice(from, to))).toEqual([
    'nonsense',
    'x-a: 2',
    'Host: example',
    'X B: 1',
    'X-C: \u{1F600}',
  ]);
  expect(sentHeaders({ ...none, headers: text }, 'x-service-').sent).toBeUndefined();
});
