/** An SDL editor that marks errors and lists the first ones below. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { sentence } from '../format.ts';
import { Editor } from './editor.tsx';
import type { Mark, SdlLanguage } from './editor-props.ts';

interface SdlFieldProps {
  readonly label: string;
  readonly about: string;
  readonly text: string;
  /** Minimum number of lines. */
  readonly minLines?: number;
  /** The error that prevents saving. Shown where no mark shows it. */
  readonly problem: string | undefined;
  /** Must be stable while nothing changes. */
  readonly language: { readonly sdl: SdlLanguage };
  readonly onChange: (text: string) => void;
}

const SHOWN = 3;
const LINE_REM = 1.25;

export function SdlField({ label, about, text, minLines = 7, problem, language, onChange }: SdlFieldProps) {
  // Sized when opened. Growing while typing would move the content below.
  const [lines] = useState(() => Math.min(24, Math.max(minLines, text.split('\n').length + 2)));
  const marks = language.sdl.check(text);
  const messages = marks
    .slice(0, SHOWN)
    .map((mark) => `${sentence(mark.message).slice(0, -1)}, in ${placeOf(mark, text)}.`);
  const first = problem !== undefined && !marks.some(({ severity }) => severity === 'error') ? [sentence(problem)] : [];
  const wrong = first.length > 0 || marks.some(({ severity }) => severity === 'error');
  return (
    <div>
      <Editor label={label} height={`${lines * LINE_REM}rem`} language={language} text={text} onChange={onChange} />
      <Text size="sm" mt={6} c={wrong ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
        {[...first, ...messages].join(' ') || about}
        {marks.length > SHOWN && ` And ${marks.length - SHOWN} more.`}
      </Text>
    </div>
  );
}

function placeOf({ from }: Mark, text: string): string {
  const before = text.slice(0, from).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
