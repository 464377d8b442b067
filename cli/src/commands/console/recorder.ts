/**
 * Writes the changes of the console to the files of a project. Changes run one after the other. A change is rejected
 * before it reaches the service where the files and the metadata differ, or cannot be written.
 */
import { join } from 'node:path';
import type { MetadataExport } from '@joinery/metadata/api/metadata';
import type {
  FileChange,
  PreviewRequest,
  ProjectChange,
  ProjectMigration,
  ProjectPreview,
  ProjectState,
} from '@joinery/metadata/api/project';
import { isJsonObject } from '@joinery/metadata/json';
import type { Members } from '@joinery/metadata/sdl/actions';
import { CliError } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';
import type { HttpResponse } from '../../client/http-request.ts';
import type { Project } from '../../project/config.ts';
import { type MetadataLocation, readMetadata } from '../../project/metadata-directory.ts';
import { canonicalExport } from '../metadata/canonical.ts';
import { fileChanges, writeChanges } from '../metadata/export.ts';
import { prepareState } from '../migrate/state.ts';
import { type Command, effectsOf, titleOf } from './command-effects.ts';
import { draftMigrations, withoutRecords, withRecords } from './migration-command.ts';
import { previewMetadata } from './preview.ts';
import {
  branchOf,
  contentOf,
  describeChanges,
  digestOf,
  requireWritable,
  type StagedMigration,
  stageMigration,
} from './project-files.ts';
import { type RecordedChange, undoChange } from './undo.ts';

export class Recorder {
  readonly #project: Project;
  readonly #connection: Connection;
  readonly #location: MetadataLocation;
  readonly #changes: RecordedChange[] = [];
  /** Contents that the console wrote last, by path relative to the project. */
  readonly #written = new Map<string, string | undefined>();
  /** Digest of the metadata files when they were last equal to the metadata of the service. */
  #equalFiles: string | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #lastVersion = 0;

  constructor(project: Project, connection: Connection) {
    this.#project = project;
    this.#connection = connection;
    this.#location = { directory: project.metadataDirectory, file: project.metadataFile };
  }

  /** Runs `work` while no change of the console runs. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#queue.then(work, work);
    this.#queue = next.catch(() => undefined);
    return next;
  }

  /** Whether all of these absolute paths have the content that the console gave them. */
  wrote(paths: readonly string[]): Promise<boolean> {
    return this.exclusive(async () => {
      const own = [...this.#written].map(([path, content]) => ({ path: join(this.#project.folder, path), content }));
      for (const path of paths) {
        const isFolder = own.some((one) => one.path.startsWith(`${path}/`));
        const known = own.find((one) => one.path === path);
        if (known === undefined ? !isFolder : (await contentOf(path)) !== known.content) return false;
      }
      return true;
    });
  }

  state(): Promise<ProjectState> {
    return this.exclusive(async () => {
      const { folder } = this.#project;
      const compared = await this.#compare().then(
        ({ differences }) => ({ differences }),
        (error: unknown) => ({ differences: [], problem: messageOf(error) }),
      );
      return {
        name: folder.split(/[\\/]/).at(-1) ?? folder,
        folder,
        endpoint: this.#connection.endpoint,
        branch: await branchOf(folder),
        ...compared,
        changes: [...this.#changes].reverse().map(describe),
      };
    });
  }

  /** Returns the files that the command would write. */
  preview({ type, args, migration }: PreviewRequest): Promise<ProjectPreview> {
    return this.exclusive(async () => {
      const effects = effectsOf({ type, args, migration });
      const migrations = draftMigrations(effects.sql, migration);
      if (effects.sql.length > 0) return { migrations };
      const { metadata } = await this.#export();
      const wanted = previewMetadata({ type, args }, metadata);
      return wanted === undefined ? { migrations } : { files: await this.#changesTo(wanted), migrations };
    });
  }

  /** Sends a command that changes something, and writes what it changed. Throws CliError where nothing was sent. */
  change(path: string, text: string, command: Command): Promise<HttpResponse> {
    return this.exclusive(async () => {
      const before = await this.#requireEqual();
      const drafts = draftMigrations(effectsOf(command).sql, command.migration);
      await requireWritable(this.#project.metadataDirectory);
      const staged: StagedMigration[] = [];
      try {
        for (const draft of drafts) staged.push(await stageMigration(this.#project, draft, this.#nextVersion()));
        const response = await this.#send(path, text, command, staged).catch(reportUnknown(staged));
        if (response.status !== 200) {
          await discardAll(staged);
          return response;
        }
        await this.#record(command, before, staged);
        return response;
      } catch (error) {
        await discardAll(staged);
        throw error;
      }
    });
  }

  /** Reverts the last change. Throws CliError where something else has changed since. */
  undo(id: number): Promise<void> {
    return this.exclusive(async () => {
      const last = this.#changes.at(-1);
      if (last === undefined || last.id !== id) throw new CliError('only the last change can be undone');
      if (last.cannotUndo !== undefined) throw new CliError(last.cannotUndo);
      await undoChange(this.#project, this.#connection, last);
      this.#changes.pop();
      const { resource_version: versionAfter } = await this.#export();
      const previous = this.#changes.pop();
      // The metadata is again the one after the previous change.
      if (previous !== undefined) this.#changes.push({ ...previous, versionAfter });
      for (const { path, before } of last.files) this.#written.set(path, before);
      this.#equalFiles = await digestOf(this.#location);
    });
  }

  /** Writes the metadata of the service to the files. */
  exportFiles(): Promise<void> {
    return this.exclusive(async () => {
      const exported = await this.#export();
      await this.#write(exported, { title: 'Metadata of the service', origin: 'elsewhere', migrations: [] }, []);
    });
  }

  /** Replaces the metadata of the service with that of the files. */
  applyFiles(): Promise<void> {
    return this.exclusive(async () => {
      const { document } = await readMetadata(this.#location);
      const { resource_version: resourceVersion } = await this.#export();
      const args = { allow_inconsistent_metadata: true, metadata: document };
      await this.#connection.command('replace_metadata', args, { version: 2, resourceVersion });
      this.#equalFiles = await digestOf(this.#location);
    });
  }

  async #send(path: string, text: string, command: Command, staged: readonly StagedMigration[]): Promise<HttpResponse> {
    const migrations = staged.map(({ migration }) => migration);
    const post = (body: string) => this.#connection.postText(path, body, { timeoutMs: 0 });
    if (migrations.length === 0) return post(text);
    for (const { source } of migrations) await prepareState(this.#connection, source);
    const isOutside = effectsOf(command).sql.some(({ outside }) => outside);
    try {
      if (!isOutside) {
        return withoutRecords(confirmed(await post(withRecords(text, migrations))), migrations.length);
      }
      // SQL without a transaction runs by itself; its record follows.
      const response = confirmed(await post(text));
      if (response.status !== 200) return response;
      const noted = await post(withRecords('{"type":"bulk","args":[]}', migrations));
      if (noted.status === 200) return response;
    } catch (error) {
      // With its files, a migration that did not take effect is a pending one.
      const problems = [messageOf(error), ...(await commitAll(staged))].join('; ');
      const unknown =
        'whether the SQL took effect is unknown; "joinery migrate apply" runs the migration if it did not';
      throw new CliError(`${problems}: ${unknown}`, { cause: error });
    }
    const problems = ['its migration is not recorded as applied', ...(await commitAll(staged))].join('; ');
    throw new CliError(`the SQL took effect, and ${problems}`);
  }

  async #record(command: Command, before: MetadataExport, staged: readonly StagedMigration[]): Promise<void> {
    const problems = await commitAll(staged);
    const exported = await this.#export().catch((error: unknown) => {
      const state = 'the change took effect, and the metadata files are not written; the next change writes them';
      throw new CliError([...problems, `${messageOf(error)}: ${state}`].join('; '), { cause: error });
    });
    const migrations = staged.map(({ migration }) => migration);
    const files = staged.flatMap((one) => one.files);
    const change = { title: titleOf(command), origin: 'console' as const, migrations };
    try {
      await this.#write(exported, change, files, before);
    } catch (error) {
      const { message } = await this.#recover(error, before, exported, migrations);
      throw new CliError([...problems, message].join('; '), { cause: error });
    }
    if (problems.length > 0)
      throw new CliError(`the SQL took effect and is recorded as applied, but ${problems.join('; ')}`);
  }

  /** Restores the metadata after its files could not be written. Returns the error to report. */
  async #recover(
    error: unknown,
    before: MetadataExport,
    { resource_version: resourceVersion }: MetadataExport,
    migrations: readonly ProjectMigration[],
  ): Promise<CliError> {
    const why = messageOf(error);
    if (migrations.length > 0) {
      const kept = 'the SQL took effect, its migration is written, and the metadata files are not';
      return new CliError(`${why}: ${kept}; write them with "joinery metadata export"`);
    }
    try {
      const args = { allow_inconsistent_metadata: true, metadata: before.metadata };
      await this.#connection.command('replace_metadata', args, { version: 2, resourceVersion });
      return new CliError(`${why}; the change of the metadata was undone`);
    } catch (second) {
      const kept = 'the metadata changed, and the files did not; write them with "joinery metadata export"';
      return new CliError(`${why}: ${kept} (${messageOf(second)})`);
    }
  }

  /** Writes the files and adds the change to the list. `own`: files that are written already. */
  async #write(
    { metadata, resource_version: version }: MetadataExport,
    change: Pick<ProjectChange, 'title' | 'origin' | 'migrations'>,
    own: readonly FileChange[],
    before?: MetadataExport,
  ): Promise<void> {
    const changes = await fileChanges(this.#location, canonicalExport(metadata), 3);
    const files = [...own, ...(await describeChanges(this.#project, changes))];
    await writeChanges(changes);
    this.#equalFiles = await digestOf(this.#location);
    for (const { path, after } of files) this.#written.set(path, after);
    if (files.length === 0) return;
    const isSame = before === undefined || before.resource_version === version;
    this.#changes.push({
      ...change,
      id: this.#changes.length === 0 ? 1 : (this.#changes.at(-1)?.id ?? 0) + 1,
      at: new Date().toISOString(),
      files,
      cannotUndo: whyNoUndo(change, own),
      metadataBefore: isSame ? undefined : (before.metadata as unknown as Members),
      versionAfter: version,
    });
  }

  /** Returns the metadata. Throws CliError where the files differ from it, unless another client alone changed it. */
  async #requireEqual(): Promise<MetadataExport> {
    const { exported, differences } = await this.#compare();
    if (differences.length === 0) {
      this.#equalFiles = await digestOf(this.#location);
      return exported;
    }
    if (this.#equalFiles === (await digestOf(this.#location))) {
      await this.#write(exported, { title: 'Changes made elsewhere', origin: 'elsewhere', migrations: [] }, []);
      return exported;
    }
    const names = differences.map(({ path }) => path);
    const listed = names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
    throw new CliError(
      `the metadata files of the project differ from the metadata of the service (${listed}); nothing was changed. Apply the files with "joinery metadata apply", or write the metadata to the files on the page "Project"`,
    );
  }

  async #compare(): Promise<{ readonly exported: MetadataExport; readonly differences: readonly FileChange[] }> {
    const exported = await this.#export();
    const isNew =
      (await contentOf(this.#location.file ?? join(this.#location.directory, 'version.yaml'))) === undefined;
    // A project without metadata gets it with the first change.
    return { exported, differences: isNew ? [] : await this.#changesTo(canonicalExport(exported.metadata)) };
  }

  async #changesTo(metadata: Members): Promise<readonly FileChange[]> {
    return describeChanges(this.#project, await fileChanges(this.#location, metadata, 3));
  }

  #export(): Promise<MetadataExport> {
    return this.#connection.command('export_metadata', {}, { version: 2 });
  }

  /** Returns the time in milliseconds, or a later number for a second migration within one. */
  #nextVersion(): string {
    this.#lastVersion = Math.max(Date.now(), this.#lastVersion + 1);
    return String(this.#lastVersion);
  }
}

function describe(
  { metadataBefore: _before, versionAfter: _after, cannotUndo, ...change }: RecordedChange,
  index: number,
): ProjectChange {
  const why = index === 0 ? cannotUndo : 'A later change must be undone first.';
  return { ...change, ...(why !== undefined && { cannotUndo: why }) };
}

function whyNoUndo(
  { origin, migrations }: Pick<ProjectChange, 'origin' | 'migrations'>,
  files: readonly FileChange[],
): string | undefined {
  if (origin === 'elsewhere') return 'Another client made this change.';
  const withDown = files.filter(({ path }) => path.endsWith('/down.sql')).length;
  return withDown < migrations.length ? 'The migration has no down.sql.' : undefined;
}

/** Throws CliError for a response that leaves open whether the change was made. */
function confirmed(response: HttpResponse): HttpResponse {
  const { body } = response;
  if (isJsonObject(body) && body.code === 'unknown-outcome') throw new CliError(String(body.error));
  return response;
}

/** Gives all migrations their names; the changes are made already. Returns the errors. */
async function commitAll(staged: readonly StagedMigration[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const one of staged) await one.commit().catch((error: unknown) => problems.push(messageOf(error)));
  return problems;
}

/** A command without SQL that has no response may have taken effect; errors of one with SQL explain this themselves. */
function reportUnknown(staged: readonly StagedMigration[]): (error: unknown) => never {
  return (error) => {
    if (staged.length > 0) throw error;
    const unknown = 'whether the change took effect is unknown; if it did, the next change writes it to the files too';
    throw new CliError(`${messageOf(error)}: ${unknown}`, { cause: error });
  };
}

async function discardAll(staged: readonly StagedMigration[]): Promise<void> {
  for (const one of staged) await one.discard().catch(() => undefined);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
