/** Tests of help: examples, suggestions, completion, and colors only on a terminal. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { databaseNames } from '../src/commands/completion/run.ts';
import { createProgram } from '../src/main.ts';
import { joinery } from './support/command.ts';
import { writeFiles } from './support/running-command.ts';

/** Returns the output of `--help` of each command without subcommands, by command line. */
async function helps(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const visit = (command: Command, path: string): void => {
    let text = '';
    command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
    found.set(path, text);
    for (const one of command.commands) visit(one, `${path} ${one.name()}`.trim());
  };
  visit(await createProgram(['node', 'joinery', 'serve']), '');
  return found;
}

describe('help', () => {
  it('the help of every command has examples', async () => {
    const all = await helps();
    expect([...all.keys()]).toEqual(
      expect.arrayContaining(['serve', 'dev', 'migrate apply', 'events tail', 'types schema', 'doctor']),
    );
    expect([...all].filter(([, help]) => !/^Examples$/m.test(help)).map(([path]) => path)).toEqual([]);
    expect((await joinery(['events', 'tail', '--help'])).out).toContain('joinery events tail -o json');
  }, 90_000);

  it('suggests the nearest command and the nearest option', async () => {
    expect(await joinery(['migrate', 'aply'])).toMatchObject({ code: 1, err: expect.stringContaining('apply') });
    expect(await joinery(['events', 'list', '--limt', '3'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('--limit'),
    });
  });

  it('prints colors without a terminal only with FORCE_COLOR, and never with NO_COLOR', async () => {
    const failing = ['doctor', '--endpoint', 'http://127.0.0.1:1'];
    const color = '\u001b[';
    expect((await joinery(failing)).out).not.toContain(color);
    expect((await joinery(failing, { FORCE_COLOR: '1' })).out).toContain(color);
    expect((await joinery(failing, { FORCE_COLOR: '1', NO_COLOR: '1' })).out).not.toContain(color);
  });
});

describe('joinery completion', () => {
  it('completes the databases of the metadata and of the migrations', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'joinery-completion-'));
    await writeFiles(folder, {
      'config.yaml': 'version: 3\n',
      'metadata/version.yaml': 'version: 3\n',
      'metadata/databases/databases.yaml':
        '- name: shop\n  kind: postgres\n  configuration: {connection_info: {database_url: {from_env: SHOP}}}\n  tables: []\n',
      'migrations/billing/1_first/up.sql': 'select 1',
      'migrations/a$(b)/1_first/up.sql': 'select 1',
    });
    expect(await databaseNames({ project: folder }, {})).toEqual(['billing', 'shop']);
    await rm(folder, { recursive: true });
  });

  const complete = async (...words: string[]): Promise<string> => {
    const { out } = await joinery(['completion', 'bash']);
    const script = `${out}\nCOMP_WORDS=(joinery ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _joinery; echo "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script]).toString().trim();
  };

  it.runIf(existsSync('/bin/bash'))('completes commands, subcommands and options in bash', async () => {
    expect(await complete('migr')).toBe('migrate');
    expect(await complete('migrate', 'st')).toBe('status');
    expect(await complete('events', 'list', '--desti')).toBe('--destination');
  });

  it.runIf(existsSync('/bin/bash'))('completes values of options with a fixed list in bash', async () => {
    expect(await complete('migrate', 'apply', '--type', '')).toBe('up down');
    expect(await complete('actions', 'codegen', '--framework', 'e')).toBe('express');
    expect(await complete('version', '-o', '')).toBe('text json');
  });

  it('prints scripts for zsh and fish, and rejects other shells', async () => {
    expect((await joinery(['completion', 'zsh'])).out).toContain('#compdef joinery');
    expect((await joinery(['completion', 'fish'])).out).toMatch(/__fish_seen_subcommand_from migrate.* -a apply /);
    expect((await joinery(['completion', 'fish'])).out).toContain(`-l type -x -a 'up down'`);
    for (const shell of ['bash', 'zsh', 'fish']) {
      expect((await joinery(['completion', shell])).out).toContain('(joinery completion databases 2>/dev/null)');
    }
    expect(await joinery(['completion', 'csh'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('bash, zsh, fish'),
    });
  });
});
