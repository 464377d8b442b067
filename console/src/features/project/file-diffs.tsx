/** Files with their changed lines. */

import type { FileChange } from '@joinery/metadata/api/project';
import { Badge, Stack, Text } from '@mantine/core';
import { type DiffLine, diffOf, type FileDiff } from './diff-lines.ts';
import classes from './project.module.css';

export function FileDiffs({ files }: { readonly files: readonly FileChange[] }) {
  if (files.length === 0) return <Text size="sm">No file changes.</Text>;
  return (
    <Stack gap="sm">
      {files.map((file) => (
        <Diff key={file.path} diff={diffOf(file)} />
      ))}
    </Stack>
  );
}

/** Long differences scroll by keyboard. */
const scrollable = { tabIndex: 0 };

const colors = { new: 'pine', removed: 'red', changed: 'gray' } as const;

function Diff({ diff: { path, change, added, removed, lines } }: { readonly diff: FileDiff }) {
  return (
    <div className={classes.file}>
      <div className={classes.fileHead}>
        <span className={classes.path}>{path}</span>
        <Text span size="xs" c="dimmed">
          {added} added, {removed} removed
        </Text>
        <Badge size="sm" variant="light" color={colors[change]}>
          {change}
        </Badge>
      </div>
      <section className={classes.scroll} aria-label={`Changed lines of ${path}`} {...scrollable}>
        <pre className={classes.diff}>
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a difference are in a fixed order
            <Line key={index} line={line} />
          ))}
        </pre>
      </section>
    </div>
  );
}

const signs = { added: '+ ', removed: '- ', same: '  ', gap: '' } as const;

function Line({ line: { kind, text } }: { readonly line: DiffLine }) {
  return (
    <span className={`${classes.line} ${kind === 'same' ? '' : (classes[kind] ?? '')}`}>
      {signs[kind]}
      {text}
      {'\n'}
    </span>
  );
}
