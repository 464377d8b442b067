/** Tests that directories of both layouts with every feature are unchanged to the byte after apply and export. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestService } from '../../../server/test/support/service/test-service.ts';
import { copyOfProject, joinery, type TestProject } from '../support/command.ts';
import { metadataService } from '../support/metadata-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await metadataService();
});
afterAll(() => service.stop());

describe.each(['version-3', 'version-2'])('a project of %s', (name) => {
  let project: TestProject;
  beforeAll(async () => {
    project = await copyOfProject(name);
    // A directory of version 2 has no native queries and leaves those of the service.
    await service.command('clear_metadata', {});
  });
  afterAll(() => project.remove());

  const run = (...args: string[]) =>
    joinery(['metadata', ...args, '--project', project.folder, '--endpoint', service.url]);

  it('is unchanged after it was applied and exported', async () => {
    const before = await project.texts();
    expect(await run('apply')).toMatchObject({ code: 0, err: '' });
    expect(await run('export')).toMatchObject({ code: 0, err: '', out: expect.stringContaining('already') });
    expect(await project.texts()).toEqual(before);
    expect(await run('diff', '--exit-code')).toEqual({ code: 0, err: '', out: 'No differences.\n' });
  });
});
