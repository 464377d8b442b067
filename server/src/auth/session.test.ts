import { describe, expect, it } from 'vitest';
import { type SessionSettings, sessionOf, unauthorizedSession } from './session.ts';

const open: SessionSettings = { prefix: 'x-service-', adminSecrets: [], unauthorizedRole: undefined };
const closed: SessionSettings = { ...open, adminSecrets: ['old one', 's3cret'] };

describe('sessionOf', () => {
  it('returns the admin role without a configured secret, unless the role header names another', () => {
    expect(sessionOf({}, open).role).toBe('admin');
    expect(sessionOf({ 'x-service-role': 'user' }, open).role).toBe('user');
  });

  it('contains the session variables and never the secret', () => {
    const session = sessionOf(
      { 'x-service-admin-secret': 's3cret', 'x-service-role': 'user', 'x-service-user-id': '7', cookie: 'a=b' },
      closed,
    );
    expect([...session.variables]).toEqual([
      ['x-service-role', 'user'],
      ['x-service-user-id', '7'],
    ]);
  });

  it('rejects a missing and a wrong secret with 401 and the message of Hasura v2', () => {
    const denied = (message: string) => expect.objectContaining({ code: 'access-denied', status: 401, message });
    expect(() => sessionOf({}, closed)).toThrow(
      denied('x-service-admin-secret/x-service-access-key required, but not found'),
    );
    expect(() => sessionOf({ 'x-service-admin-secret': 'guess' }, closed)).toThrow(
      denied('invalid "x-service-admin-secret"/"x-service-access-key"'),
    );
  });

  it('gives a caller without a secret the unauthorized role, whatever role it requests', () => {
    const settings = { ...closed, unauthorizedRole: 'anonymous' };
    expect(sessionOf({ 'x-service-role': 'admin' }, settings).role).toBe('anonymous');
  });

  it('accepts the secret in the older header, which is no session variable', () => {
    const session = sessionOf({ 'x-service-access-key': 's3cret' }, closed);
    expect(session.role).toBe('admin');
    expect([...session.variables.keys()]).toEqual(['x-service-role']);
    const both = { 'x-service-access-key': 's3cret', 'x-service-admin-secret': 'guess' };
    expect(() => sessionOf(both, closed)).toThrow(expect.objectContaining({ code: 'access-denied' }));
  });

  it.each([
    ...['true', 'TRUE', 't', 'yes', 'Y'].map((text) => [text, true] as const),
    ...['false', 'F', 'no', 'n'].map((text) => [text, undefined] as const),
  ])('reads the backend header with the value %s', (text, backend) => {
    expect(sessionOf({ 'x-service-use-backend-only-permissions': text }, open).backend).toBe(backend);
  });

  it.each(['1', 'on', '', 'toString'])('rejects the backend header with the value %j', (text) => {
    expect(() => sessionOf({ 'x-service-use-backend-only-permissions': text }, open)).toThrow(
      expect.objectContaining({ code: 'bad-request', status: 400 }),
    );
  });

  it('ignores the backend header of a caller with the unauthorized role', () => {
    const settings = { ...closed, unauthorizedRole: 'anonymous' };
    expect(sessionOf({ 'x-service-use-backend-only-permissions': '1' }, settings).backend).toBeUndefined();
  });

  it('ignores headers with another prefix', () => {
    expect(sessionOf({ 'x-hasura-role': 'user' }, open).role).toBe('admin');
  });

  it('trusts a caller with the secret where callers without it have a role', () => {
    const settings = { ...closed, unauthorizedRole: 'anonymous' };
    expect(sessionOf({ 'x-service-admin-secret': 's3cret' }, settings).role).toBe('admin');
  });

  it('rejects a wrong secret where callers without it have a role', () => {
    const settings = { ...closed, unauthorizedRole: 'anonymous' };
    const headers = { 'x-service-admin-secret': 'guess' };
    expect(() => sessionOf(headers, settings)).toThrow(expect.objectContaining({ code: 'access-denied' }));
  });

  it('rejects an empty role', () => {
    const error = { code: 'invalid-headers', message: 'header "x-service-role" must not be empty' };
    expect(() => sessionOf({ 'x-service-role': '' }, open)).toThrow(expect.objectContaining(error));
  });

  it('requests no backend-only permissions without their header', () => {
    expect(Object.keys(sessionOf({}, open))).toEqual(['role', 'variables']);
  });

  it('names the header whose value is no flag', () => {
    const headers = { 'x-service-use-backend-only-permissions': 'on' };
    const message = 'header "x-service-use-backend-only-permissions" must be true or false, not "on"';
    expect(() => sessionOf(headers, open)).toThrow(expect.objectContaining({ message }));
  });

  it('has the role of the caller as a variable', () => {
    const settings = { ...closed, unauthorizedRole: 'anonymous' };
    const { variables } = sessionOf({ 'x-service-role': 'admin', 'x-service-user-id': '7' }, settings);
    expect(Object.fromEntries(variables)).toEqual({ 'x-service-role': 'anonymous', 'x-service-user-id': '7' });
  });

  it('joins the values of a repeated header, and has no variable of an absent one', () => {
    const { variables } = sessionOf({ 'x-service-a': ['1', '2'], 'x-service-b': undefined }, open);
    expect([...variables]).toEqual([
      ['x-service-a', '1, 2'],
      ['x-service-role', 'admin'],
    ]);
  });

  it('rejects a secret that is sent twice', () => {
    const headers = { 'x-service-admin-secret': ['s3cret', 's3cret'] };
    expect(() => sessionOf(headers, closed)).toThrow(expect.objectContaining({ code: 'access-denied' }));
  });

  it('rejects a caller without credentials where they have no role', () => {
    const message = 'x-service-admin-secret/x-service-access-key required, but not found';
    expect(() => unauthorizedSession({}, closed)).toThrow(expect.objectContaining({ code: 'access-denied', message }));
  });
});
