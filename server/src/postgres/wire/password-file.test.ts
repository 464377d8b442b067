import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { passwordInFile } from './password-file.ts';
import { readTarget } from './target.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'joinery-password-file-'));
  path = join(folder, 'passwords');
  writeFileSync(path, '# comment\ndb:5432:shop:other:first\ndb:*:shop:app:se\\:cr\\\\et\n*:*:*:*:last\n', {
    mode: 0o600,
  });
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('the first line that matches has the password, with its escapes removed', () => {
  expect(passwordInFile(readTarget('postgres://app@db:6000/shop'), path)).toBe('se:cr\\et');
  expect(passwordInFile(readTarget('postgres://app@db:6000/store'), path)).toBe('last');
});

test('a file that other users can read is ignored', () => {
  chmodSync(path, 0o644);
  expect(passwordInFile(readTarget('postgres://app@db:6000/shop'), path)).toBe(undefined);
});
