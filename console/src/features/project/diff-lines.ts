/** The changed lines of a file with the lines around them. */
import type { FileChange } from '@joinery/metadata/api/project';
import { structuredPatch } from 'diff';

export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'gap';
  readonly text: string;
}

export interface FileDiff {
  readonly path: string;
  readonly change: 'new' | 'removed' | 'changed';
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly DiffLine[];
}

/** Unchanged lines that are shown around a change. */
const CONTEXT = 3;

export function diffOf({ path, before, after }: FileChange): FileDiff {
  const { hunks } = structuredPatch(path, path, before ?? '', after ?? '', '', '', { context: CONTEXT });
  const lines = hunks.flatMap((hunk, index): DiffLine[] => {
    const own = hunk.lines.filter((line) => !line.startsWith('\\')).map(lineOf);
    return index === 0 ? own : [{ kind: 'gap', text: `line ${hunk.newStart}` }, ...own];
  });
  return {
    path,
    change: before === undefined ? 'new' : after === undefined ? 'removed' : 'changed',
    added: lines.filter(({ kind }) => kind === 'added').length,
    removed: lines.filter(({ kind }) => kind === 'removed').length,
    lines,
  };
}

function lineOf(line: string): DiffLine {
  const text = line.slice(1);
  if (line.startsWith('+')) return { kind: 'added', text };
  return { kind: line.startsWith('-') ? 'removed' : 'same', text };
}
