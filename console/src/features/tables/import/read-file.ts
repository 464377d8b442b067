/** Detects the format of a file, and reads its columns and first records. */
import { detectCsv } from './csv-records.ts';
import { type FileFormat, type FileRecord, sampleOf } from './file-records.ts';
import { recordsOf } from './prepare-import.ts';

export interface ReadFile {
  readonly format: FileFormat;
  /** The columns of the file. */
  readonly names: readonly string[];
  readonly first: readonly FileRecord[];
}

const PREVIEW = 5;

/** Throws FileProblem. */
export async function detectFormat(file: Blob): Promise<FileFormat> {
  const sample = await sampleOf(file);
  return /^\s*[[{]/.test(sample) ? { kind: 'json' } : detectCsv(sample);
}

/** Reads the first records of CSV; JSON completely, because each object may have other members. Throws FileProblem. */
export async function readFile(file: Blob, format: FileFormat, signal: AbortSignal): Promise<ReadFile> {
  const names = new Set<string>();
  const first: FileRecord[] = [];
  for await (const records of recordsOf(file, format)) {
    signal.throwIfAborted();
    first.push(...records.slice(0, PREVIEW - first.length));
    for (const { values } of records) for (const name of Object.keys(values)) names.add(name);
    if (format.kind === 'csv' && first.length > 0) break;
  }
  return { format, names: [...names], first };
}
