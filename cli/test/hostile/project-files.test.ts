/**
 * Hostile YAML files of a project: each is rejected with its file and position before anything is sent to a service, or has the value that
 * it should have. Time limits only end tests that hang.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readMetadata } from '../../src/project/metadata-directory.ts';
import { joinery } from '../support/command.ts';

let project: string;
let directory: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'joinery-hostile-'));
  directory = join(project, 'metadata');
  mkdirSync(join(directory, 'databases'), { recursive: true });
  write('version.yaml', 'version: 3\n');
  write('databases/databases.yaml', '[]\n');
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

function write(file: string, text: string | Buffer): void {
  writeFileSync(join(directory, file), text);
}

/** Returns the message of the error without the folder. */
async function rejection(): Promise<string> {
  const error: unknown = await readMetadata({ directory }).then(
    ({ document }) => new Error(`no error: ${JSON.stringify(document)}`),
    (thrown: unknown) => thrown,
  );
  return error instanceof Error ? `${error.name}: ${error.message.replaceAll(`${directory}/`, '')}` : String(error);
}

/** Each line repeats the one before `width` times. */
function aliasBomb(lines: number, width: number): string {
  const others = Array.from({ length: lines - 1 }, (_, index) => {
    const repeated = Array.from({ length: width }, () => `*a${index}`).join(', ');
    return `a${index + 1}: &a${index + 1} [${repeated}]\n`;
  });
  return `a0: &a0 [x, x, x]\n${others.join('')}`;
}

const at = (line: number, column: number, message: string) =>
  `CliError: cron_triggers.yaml:${line}:${column}: ${message}`;
const deep = 'values are nested too deeply: more than 400 times';

describe('a file is rejected with its position', () => {
  test.each([
    ['aliases of aliases', aliasBomb(12, 9), at(7, 30, 'aliases repeat more than 1000000 values')],
    [
      'more aliases than are searched',
      `- &x a\n${'- *x\n'.repeat(50_000)}`,
      at(5_002, 3, 'the file has more than 5000 aliases'),
    ],
    ['open flow sequences', '['.repeat(100_000), at(1, 401, deep)],
    ['closed flow mappings', `${'{a: '.repeat(20_000)}${'}'.repeat(20_000)}`, at(1, 1_598, deep)],
    ['block sequences', `${'- '.repeat(20_000)}x`, at(1, 800, deep)],
    [
      'block mappings',
      Array.from({ length: 1_000 }, (_, index) => `${' '.repeat(index)}a:`).join('\n'),
      at(400, 401, deep),
    ],
    ['a duplicate key', 'a: 1\na: 2\n', at(2, 1, 'Map keys must be unique')],
    ['a merge key without a mapping', 'a:\n  <<: [1]\n', at(1, 1, 'Merge sources must be maps or map aliases')],
    ['a merge of the own mapping', 'a: &a\n  <<: *a\n', at(2, 7, 'the alias *a is a part of its own value')],
    ['a tag of JavaScript', '- !!js/function "function () {}"\n', at(1, 17, 'the tag !!js/function is not supported')],
    ['a tag of Python', '- !!python/name:os.system x\n', at(1, 27, 'the tag !!python/name:os.system is not supported')],
    ['a tag of a program', '- !env SECRET\n', at(1, 8, 'the tag !env is not supported')],
    ['bytes', '- !!binary aGk=\n', at(1, 12, 'the tag !!binary is not supported')],
    ['a set', '- !!set {a, b}\n', at(1, 9, 'the tag !!set is not supported')],
    ['an infinite number', '- 1\n- .inf\n', at(2, 3, '.inf is not a number of JSON')],
    ['a number beyond the range', '- 1e999\n', at(1, 3, '1e999 is not a number of JSON')],
    ['a key that is a list', '? [a, b]\n: 1\n', at(1, 3, 'the name of a member must be a string')],
    ['a key that is an alias of a list', 'a: &x [1]\n*x : 1\n', at(2, 1, 'the name of a member must be a string')],
    ['NUL', 'a: 1\nb: x\0y\n', at(2, 5, 'the file contains a NUL character')],
    [
      'several documents',
      '- a\n---\n- b\n',
      at(2, 1, 'Source contains multiple documents; please use YAML.parseAllDocuments()'),
    ],
    [
      'an include of a parent',
      '"!include ../x.yaml"\n',
      at(1, 1, '"!include ../x.yaml" is outside the metadata directory'),
    ],
    [
      'an include of an absolute path',
      '- !include /etc/passwd\n',
      at(1, 12, '"!include /etc/passwd" is outside the metadata directory'),
    ],
    ['an include of itself', '- !include cron_triggers.yaml\n', at(1, 12, 'cron_triggers.yaml includes itself')],
    ['an include of a folder', '- 1\n- !include databases\n', at(2, 12, 'databases cannot be read: it is not a file')],
    [
      'an include below a file',
      '- !include version.yaml/x\n',
      at(1, 12, 'version.yaml/x does not exist; create it or remove the !include'),
    ],
  ])('%s', { timeout: 120_000 }, async (_what, text, message) => {
    write('cron_triggers.yaml', text);
    expect(await rejection()).toBe(message);
  });

  test('an include of a path with NUL', async () => {
    write('cron_triggers.yaml', '- 1\n- "!include a\\0b"\n');
    expect(await rejection()).toMatch(/^CliError: cron_triggers\.yaml:2:3: a\\0b cannot be read: /);
  });

  test.each([
    ['bytes that are not UTF-8', Buffer.from([0x61, 0x3a, 0x20, 0xff, 0x0a])],
    ['UTF-16', Buffer.from('\ufeffa: 1\n', 'utf16le')],
  ])('%s', async (_what, bytes) => {
    write('cron_triggers.yaml', bytes);
    expect(await rejection()).toBe(at(1, 1, 'cron_triggers.yaml cannot be read: it is not UTF-8 text'));
  });

  test.each(['/dev/zero', '/dev/tty', '/proc'])('a symbolic link to %s, which is no file', async (target) => {
    symlinkSync(target, join(directory, 'cron_triggers.yaml'));
    expect(await rejection()).toBe(at(1, 1, 'cron_triggers.yaml cannot be read: it is not a file'));
  });

  test('a pipe, whose content has no end', async () => {
    execFileSync('mkfifo', [join(directory, 'cron_triggers.yaml')]);
    expect(await rejection()).toBe(at(1, 1, 'cron_triggers.yaml cannot be read: it is not a file'));
  });

  test('a file whose includes repeat too much text', async () => {
    for (let level = 0; level < 9; level++) write(`${level}.yaml`, `- !include ${level + 1}.yaml\n`.repeat(10));
    write('9.yaml', 'x\n');
    write('cron_triggers.yaml', '- !include 0.yaml\n');
    expect(await rejection()).toMatch(/^CliError: \d\.yaml:\d+:12: \d\.yaml with its includes is larger than 64 MiB$/);
  });
});

describe('a file has its value', () => {
  const readValue = async (text: string): Promise<unknown> => {
    write('cron_triggers.yaml', text);
    return (await readMetadata({ directory })).document.cron_triggers;
  };

  test('where an anchor is used more often than 100 times', async () => {
    expect(await readValue(`- &x [1]\n${'- *x\n'.repeat(500)}`)).toEqual(Array.from({ length: 501 }, () => [1]));
  });

  test('where 40 files include one another in a row', async () => {
    for (let file = 0; file < 40; file++) write(`${file}.yaml`, `- !include ${file + 1}.yaml\n`);
    write('40.yaml', '7\n');
    let value = await readValue('- !include 0.yaml\n');
    for (let depth = 0; depth < 41; depth++) [value] = value as [unknown];
    expect(value).toBe(7);
  });

  test('where a member is named like one of all objects', async () => {
    const value = await readValue('- __proto__: {polluted: true}\n  constructor: 1\n');
    expect(JSON.stringify(value)).toBe('[{"__proto__":{"polluted":true},"constructor":1}]');
    expect('polluted' in {}).toBe(false);
  });
});

test('the command sends no change of the metadata for a rejected file', { timeout: 120_000 }, async () => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => requests.push(text));
    request.on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  write('cron_triggers.yaml', aliasBomb(12, 9));
  const { code, err } = await joinery(['metadata', 'apply', '--endpoint', endpoint], {}, project);
  server.close();
  server.closeAllConnections();
  expect(code).toBe(1);
  expect(err).toContain('metadata/cron_triggers.yaml:7:30: aliases repeat more than 1000000 values');
  expect(requests.join('')).not.toContain('replace_metadata');
});
