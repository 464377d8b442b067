/** Passwords with more iterations than PostgreSQL's default. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createScram } from '../../src/postgres/wire/scram.ts';
import { connect, testDatabase } from '../support/database/test-database.ts';

/** Returns a password as PostgreSQL stores it. */
function stored(password: string, iterations: number): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyOf = (text: string) => createHmac('sha256', salted).update(text).digest();
  const client = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${client}:${keyOf('Server Key').toString('base64')}`;
}

test('a pool opens all its connections with a password of 600,000 iterations, and none with a wrong one', async () => {
  const db = await testDatabase();
  const role = `many_iterations_${process.pid}`;
  const open = (password: string) => {
    const url = new URL(db.url);
    return connect(Object.assign(url, { username: role, password }).href, 20);
  };
  const [pool, wrong] = [open('secret'), open('wrong')];
  try {
    await db.database.query({ text: `create role ${role} login password '${stored('secret', 600_000)}'`, values: [] });
    const statement = { text: 'select current_user', values: [] };
    const results = await Promise.all(Array.from({ length: 20 }, () => pool.query(statement)));
    expect(results.map(({ rows }) => rows)).toEqual(results.map(() => [[role]]));
    await expect(wrong.query(statement)).rejects.toMatchObject({ internal: { code: '28P01' } });
  } finally {
    await Promise.all([pool.close(), wrong.close()]);
    await db.database.query({ text: `drop role if exists ${role}`, values: [] });
    await db.drop();
  }
});

test('more iterations than a second takes are rejected', async () => {
  const { respond } = createScram({ password: 'secret', binding: 'n' }, 'abc');
  const salt = randomBytes(16).toString('base64');
  await expect(respond(`r=abcdef,s=${salt},i=2000001`)).rejects.toThrow('requests 2000001 iterations');
});
