/** State of an import: the file, how it is read, and the run that checks and sends it. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import type { ImportedRows } from '@joinery/metadata/api/sources/import-rows';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { Failure, toFailure } from '../../../api/failure.ts';
import type { Target } from '../row-model/rows-api.ts';
import { type ColumnMapping, importable, missingColumns, suggestedMapping } from './column-mapping.ts';
import { type FileFormat, FileProblem } from './file-records.ts';
import type { EmptyChoice } from './import-values.ts';
import { type LineError, prepareImport } from './prepare-import.ts';
import { detectFormat, type ReadFile, readFile } from './read-file.ts';
import { RejectedRows, sendImport } from './send-import.ts';

export interface ChosenFile {
  readonly name: string;
  readonly data: Blob;
}

interface ImportSettings {
  readonly mapping: ColumnMapping;
  readonly empty: EmptyChoice;
  /** `fail`, `skip`, or the index of the unique key that rows are updated by. */
  readonly conflict: string;
}

interface Running {
  readonly phase: 'reading' | 'checking' | 'sending';
  /** Rows that were checked or processed. */
  readonly rows: number;
  /** Known once the file was checked. */
  readonly total: number | undefined;
}

interface ImportOutcome {
  readonly errors?: readonly LineError[];
  readonly failure?: Failure;
  readonly isCanceled?: boolean;
}

/** Returns the unique keys of a table, without repetitions. */
function uniqueKeys({ primary_key, unique_keys }: Pick<TableInfo, 'primary_key' | 'unique_keys'>) {
  const keys = [...(primary_key === null ? [] : [primary_key]), ...unique_keys];
  return [...new Map(keys.map((key) => [key.join('\n'), key])).values()];
}

export function useImport(target: Target, info: TableInfo, onDone: (imported: ImportedRows) => void) {
  const client = useClient();
  const [file, setFile] = useState<ChosenFile>();
  const [read, setRead] = useState<ReadFile>();
  const [settings, setSettings] = useState<ImportSettings>({ mapping: {}, empty: 'null', conflict: 'fail' });
  const [running, setRunning] = useState<Running>();
  const [outcome, setOutcome] = useState<ImportOutcome>({});
  const current = useRef<AbortController>(undefined);
  // The service rolls back an import whose request is canceled.
  useEffect(() => () => current.current?.abort(), []);
  const columns = useMemo(() => importable(info.columns), [info]);
  const keys = uniqueKeys(info);

  async function work(phase: Running['phase'], run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    setOutcome({});
    setRunning({ phase, rows: 0, total: undefined });
    try {
      await run(controller.signal);
    } catch (error) {
      if (controller !== current.current) return;
      setOutcome(controller.signal.aborted ? { isCanceled: true } : outcomeOf(error));
    } finally {
      if (controller === current.current) setRunning(undefined);
    }
  }

  const open = (chosen: ChosenFile, given?: FileFormat): Promise<void> =>
    work('reading', async (signal) => {
      setFile(chosen);
      const found = await readFile(chosen.data, given ?? (await detectFormat(chosen.data)), signal);
      setRead(found);
      setSettings((before) => ({ ...before, mapping: suggestedMapping(columns, found.names) }));
    });

  const start = (): Promise<void> =>
    work('checking', async (signal) => {
      if (file === undefined || read === undefined) return;
      const plan = { ...settings, file: file.data, format: read.format, columns };
      const args = { ...target, ...conflictOf(settings, keys) };
      const prepared = await prepareImport(
        plan,
        args,
        (rows) => setRunning({ phase: 'checking', rows, total: undefined }),
        signal,
      );
      if (!('body' in prepared)) {
        setOutcome({ errors: prepared });
        return;
      }
      const total = prepared.rows;
      setRunning({ phase: 'sending', rows: 0, total });
      const onProgress = (rows: number): void => setRunning({ phase: 'sending', rows, total });
      onDone(await sendImport(client, prepared, onProgress, signal));
    });

  return {
    file,
    read,
    settings,
    running,
    outcome,
    columns,
    keys,
    canUpdate: info.updatable,
    problem: read && problemOf(settings, columns, keys),
    change: (part: Partial<ImportSettings>) => {
      setOutcome({});
      setSettings((before) => ({ ...before, ...part }));
    },
    open: (chosen: ChosenFile) => void open(chosen),
    setFormat: (format: FileFormat) => file && void open(file, format),
    start: () => void start(),
    cancel: () => current.current?.abort(),
  };
}

export type Importing = ReturnType<typeof useImport>;

function outcomeOf(error: unknown): ImportOutcome {
  if (error instanceof RejectedRows) return { errors: error.errors };
  if (error instanceof FileProblem) return { failure: new Failure({ code: 'file', message: error.message }, error) };
  return { failure: toFailure(error) };
}

function conflictOf({ conflict, mapping }: ImportSettings, keys: readonly (readonly string[])[]) {
  if (conflict === 'fail') return {};
  if (conflict === 'skip') return { on_conflict: { action: 'ignore' as const } };
  const key = keys[Number(conflict)] ?? [];
  const update_columns = Object.keys(mapping).filter((name) => !key.includes(name));
  return { on_conflict: { action: 'update' as const, constraint_on: [...key], update_columns } };
}

/** Returns why the import cannot start. */
function problemOf(
  { mapping, conflict }: ImportSettings,
  columns: ReturnType<typeof importable>,
  keys: readonly (readonly string[])[],
): string | undefined {
  if (Object.keys(mapping).length === 0) return 'Assign a column of the file to at least one column of the table.';
  const missing = missingColumns(columns, mapping);
  if (missing.length > 0) return `Without a default, these columns need a column of the file: ${missing.join(', ')}.`;
  const unmapped = (keys[Number(conflict)] ?? []).filter((name) => mapping[name] === undefined);
  return unmapped.length === 0
    ? undefined
    : `Rows are updated by ${unmapped.join(', ')}, which needs a column of the file.`;
}
