/** Chooses the file of an import: by a dialog, by dropping it, or as pasted text. */

import { Button, FileButton, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import classes from './import.module.css';
import type { ChosenFile } from './use-import.ts';

interface FileChooserProps {
  readonly file: ChosenFile | undefined;
  readonly isDisabled: boolean;
  readonly onChoose: (file: ChosenFile) => void;
}

export function FileChooser({ file, isDisabled, onChoose }: FileChooserProps) {
  const [isOver, setIsOver] = useState(false);
  const [pasted, setPasted] = useState<string>();
  const choose = (data: File | null | undefined): void => {
    if (data === null || data === undefined) return;
    setPasted(undefined);
    onChoose({ name: data.name, data });
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    if (!isDisabled) choose(event.dataTransfer.files[0]);
  };
  return (
    <Stack gap="sm">
      <Paper
        className={classes.drop ?? ''}
        p="md"
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={onDrop}
      >
        <Group justify="space-between" gap="sm">
          <Text size="sm" {...(file === undefined && { c: 'dimmed' })}>
            {file === undefined
              ? 'Drop a CSV or JSON file here. JSON is an array of objects, or an object on each line.'
              : `${file.name}, ${sizeText(file.data.size)}`}
          </Text>
          <Group gap="xs">
            <FileButton
              onChange={choose}
              accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,text/csv,application/json"
              disabled={isDisabled}
            >
              {(props) => (
                <Button {...props} size="xs" variant={file === undefined ? 'filled' : 'default'} data-autofocus>
                  {file === undefined ? 'Choose a file' : 'Choose another file'}
                </Button>
              )}
            </FileButton>
            <ReasonButton
              size="xs"
              variant="default"
              reason={isDisabled ? 'An import is running.' : undefined}
              onClick={() => setPasted(pasted ?? '')}
            >
              Paste text
            </ReasonButton>
          </Group>
        </Group>
      </Paper>
      {pasted !== undefined && (
        <Group align="flex-end" gap="xs">
          <Textarea
            label="CSV or JSON"
            className={classes.pasted ?? ''}
            autosize
            minRows={3}
            maxRows={10}
            autoFocus
            value={pasted}
            onChange={(event) => setPasted(event.currentTarget.value)}
          />
          <ReasonButton
            variant="default"
            reason={pasted.trim() === '' ? 'Paste text first.' : undefined}
            onClick={() => onChoose({ name: 'Pasted text', data: new Blob([pasted]) })}
          >
            Read the text
          </ReasonButton>
        </Group>
      )}
    </Stack>
  );
}

function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} kB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
