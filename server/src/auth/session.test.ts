import { describe, expect, it } from 'vitest';
import { type SessionSettings, sessionOf } from './session.ts';

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

  it('rejects a missing and a wrong secret with 401', () => {
    expect(() => sessionOf({}, closed)).toThrow(expect.objectContaining({ code: 'access-denied', status: 401 }));
    expect(() => sessionOf({ 'x-service-admin-secret': 'guess' }, closed)).toThrow(
      expect.objectContaining({ code: 'access-denied', status: 401 }),
    );
  });

  it('gives a caller without a secret the unauthorized role, whatever role it requests', () => {
    const settings = { ...closed, unauthorizedRole: 'anonymous' };
    expect(sessionOf({ 'x-service-role': 'admin' }, settings).role).toBe('anonymous');
  });

  it('ignores headers with another prefix', () => {
    expect(sessionOf({ 'x-hasura-role': 'user' }, open).role).toBe('admin');
  });
});
